import { urlFault } from '../../catalogue/assets/url-fields.ts'
import { isObject, parsedJson, shown } from '../../text.ts'
import { hasTooManyValues, isJsonObject, tooManyValues } from '../read/json-row.ts'
import type { Cell } from '../read/row.ts'

export interface UrlRules {
  /** The text between the URLs of a cell; undefined: what separates them is seen. */
  separator: string | undefined
  /** The URL that relative URLs are joined to. */
  base: string | undefined
  /** How the interface spells the options of the two. */
  names: { separator: string; base: string }
}

/** The URLs in a cell, in order, and what is wrong with the others. */
export interface FoundUrls {
  urls: string[]
  faults: string[]
}

/** The URLs in a cell that holds one, several, a JSON list of them, or none. */
export function urlsOf(cell: Cell, rules: UrlRules): FoundUrls {
  if (typeof cell !== 'string') return completed(cell.map(textOf), rules)
  const text = cell.trim()
  if (text.startsWith('[')) return completed(listOf(text), rules)
  if (text.startsWith('{'))
    return { urls: [], faults: ['must be a URL, several, or a JSON list of them; got an object'] }
  const pieces = rules.separator === undefined ? split(text) : text.split(rules.separator).map((piece) => piece.trim())
  if (!pieces)
    return {
      urls: [],
      faults: [
        `must be URLs that can be told apart; ${rules.names.separator} says what is between them; got ${shown(text)}`,
      ],
    }
  const absolute = pieces.findIndex((piece) => scheme.test(piece))
  return completed(
    pieces.map((piece, i) => {
      if (absolute >= 0 && i > absolute && piece !== '' && !scheme.test(piece)) {
        return {
          fault: `must have no relative path after an absolute URL; ${rules.names.separator} says what is between URLs; got ${shown(piece)}`,
        }
      }
      const isList = rules.separator !== undefined && split(piece)?.length !== 1 && piece !== ''
      return isList ? { fault: `must be one URL between two separators; got ${shown(piece)}` } : piece
    }),
    rules,
  )
}

/** The URL in a cell that holds exactly one, or none. */
export function urlOf(cell: Cell, rules: UrlRules): FoundUrls {
  const text = typeof cell === 'string' ? cell.trim() : cell
  const isOne = typeof text === 'string' && !/^[[{]/.test(text) && isOneUrl(text)
  return isOne
    ? completed([text], rules)
    : { urls: [], faults: [`must be one URL; got ${typeof text === 'string' ? shown(text) : 'a list'}`] }
}

type Item = string | { fault: string }

/** The parts of an item of a list that may hold its URL, as shops export them. */
const members = ['src', 'url', 'href']

function textOf(item: unknown): Item {
  if (item === null) return ''
  if (typeof item === 'string') return oneUrl(item)
  const found =
    isObject(item) && isJsonObject(item) ? members.map((name) => (item as Record<string, unknown>)[name]) : []
  const url = found.find((value) => typeof value === 'string' && value.trim() !== '')
  return typeof url === 'string'
    ? oneUrl(url)
    : { fault: `must be a list of URLs, or of objects with ${members.join(', ')}; got ${shown(item)} in it` }
}

function oneUrl(text: string): Item {
  const url = text.trim()
  return isOneUrl(url) ? url : { fault: `must have one URL in each item of a list; got ${shown(url)}` }
}

function isOneUrl(text: string): boolean {
  return text.split(betweenAbsolute).length === 1
}

function listOf(text: string): Item[] {
  if (hasTooManyValues(text)) return [{ fault: tooManyValues }]
  const list = parsedJson(text)
  return Array.isArray(list)
    ? list.map(textOf)
    : [{ fault: `must be a JSON list, as it begins with [; got ${shown(text)}` }]
}

const scheme = /^[a-z][a-z0-9+.-]*:/i
/** Before an absolute URL, a separator ends the one before it. Other commas and blanks are a URL's own. */
const betweenAbsolute = /[\s,|;]+(?=[a-z][a-z0-9+.-]*:\/\/)/i
const picture = String.raw`\.(?:jpe?g|png|gif|webp|avif|svg|bmp|tiff?|heic|mp4|pdf)`
/** A separator after the end of a picture's path, or before a path: it may be one between URLs, or not. */
const doubtful = new RegExp(String.raw`${picture}(?:\?[^,|;\s]*)?\s*[,|;\s]\s*\S*(?:/|${picture})|[,|;\s]/`, 'i')

/** The URLs of a text; undefined if they cannot be told apart for certain. */
function split(text: string): string[] | undefined {
  const pieces = text
    .split(betweenAbsolute)
    .map((piece) => piece.replace(/[\s,|;]+$/, ''))
    .filter((piece) => piece !== '')
  const paths = pieces[0] !== undefined && !scheme.test(pieces[0]) ? splitPaths(pieces[0]) : []
  const urls = pieces.slice(paths?.length === 0 ? 0 : 1)
  return paths === undefined || urls.some((url) => doubtful.test(url)) ? undefined : [...paths, ...urls]
}

const isPath = new RegExp(`^/|${picture}$`, 'i')

/** Relative paths are told apart if each begins with a slash or ends as a picture does. */
function splitPaths(text: string): string[] | undefined {
  const paths = text.split(/\s*[,|;\n]\s*/).filter((path) => path !== '')
  const isCertain = paths.every((path) => (paths.length === 1 || isPath.test(path)) && !doubtful.test(path))
  return isCertain ? paths : undefined
}

function completed(items: readonly Item[], rules: UrlRules): FoundUrls {
  const found: FoundUrls = { urls: [], faults: [] }
  for (const item of items) {
    if (item === '') continue
    const result = typeof item === 'string' ? completedUrl(item, rules) : item
    if (typeof result === 'string') found.urls.push(result)
    else found.faults.push(result.fault)
  }
  return found
}

/** Joins base and path even where the path begins with a slash: it is a path below the base, as shops export it. */
function completedUrl(text: string, { base, names }: UrlRules): Item {
  const isAbsolute = scheme.test(text)
  const url = base === undefined || isAbsolute ? text : joined(base, text)
  const fault = urlFault(url)
  if (fault === undefined) return url
  return { fault: base === undefined && !isAbsolute ? `${fault}; ${names.base} would complete it` : fault }
}

function joined(base: string, path: string): string {
  if (path.startsWith('//')) return `${new URL(base).protocol}${path}`
  return `${base.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`
}
