import { urlFault } from '../../catalogue/assets/url-fields.ts'
import { isObject, parsedJson, shown } from '../../text.ts'
import { type ImportRequest, optionName } from '../options.ts'
import { hasTooManyValues, isJsonObject, tooManyValues } from '../read/json-row.ts'
import { type Cell, type RowFault, ruleFault } from '../read/row.ts'
import { isOneUrl, isPathWithCommas, scheme, splitCell } from './split-cell.ts'

type UrlOptions = Pick<ImportRequest, 'assetSeparator' | 'assetBase' | 'style'>

/** The URLs in a cell, in order, and what is wrong with the others. */
export interface FoundUrls {
  urls: string[]
  faults: RowFault[]
}

/** The URLs in a cell that holds one, several, a JSON list of them, or none. */
export function urlsOf(cell: Cell, options: UrlOptions): FoundUrls {
  if (typeof cell !== 'string') return completeAll(itemsOf(cell, options), options)
  const text = cell.trim()
  if (text.startsWith('[')) return completeAll(listOf(text, options), options)
  if (text.startsWith('{'))
    return { urls: [], faults: [{ expected: 'must be a URL, several, or a JSON list of them', got: 'an object' }] }
  const { assetSeparator } = options
  if (assetSeparator !== undefined) return completeAll(splitAt(text, assetSeparator), options)
  // The content of an image may have slashes after its comma, as paths have.
  const pieces = /^data:(?!.*:\/\/)/is.test(text) ? [text] : splitCell(text)
  if (pieces) return completeAll(pieces, options)
  const advice = `${optionName(options, 'assetSeparator')} names the separator`
  return { urls: [], faults: [{ expected: `must be URLs that can be told apart; ${advice}`, got: shown(text) }] }
}

/** What is between the separators that an option names. */
function splitAt(text: string, separator: string): Item[] {
  let hasAbsolute = false
  return text.split(separator).map((part) => {
    const piece = part.trim()
    const isAbsolute = scheme.test(piece)
    if (piece === '') return ''
    if (!isOneUrl(piece)) return { expected: 'must be one URL between two separators', got: shown(piece) }
    if (hasAbsolute && !isAbsolute) {
      return { expected: 'must have no relative path after an absolute URL', got: shown(piece) }
    }
    hasAbsolute ||= isAbsolute
    return piece
  })
}

/** The URL in a cell that holds one as an export writes it: any that the API takes, or a relative path. */
export function urlOf(cell: Cell, options: UrlOptions): FoundUrls {
  const text = typeof cell === 'string' ? cell.trim() : '['
  if (scheme.test(text) || isPathWithCommas(text)) return completeAll([text], options)
  const paths = /^[[{]/.test(text) ? undefined : splitCell(text)
  if (paths === undefined || paths.length > 1)
    return { urls: [], faults: [{ expected: 'must be one URL', got: shown(cell) }] }
  return completeAll(paths.length === 0 ? [text] : paths, options)
}

/** A URL, or a path, or what is wrong with it. */
type Item = string | RowFault

/** The parts of an item of a list that may hold its URL, as shops export them. */
const members = ['src', 'url', 'href']

function itemsOf(list: readonly unknown[], options: UrlOptions): Item[] {
  return list.flatMap((item) => {
    const text = textOf(item)
    return typeof text === 'string' ? urlsOfItem(text.trim(), options) : text
  })
}

function textOf(item: unknown): Item {
  if (item === null) return ''
  if (typeof item === 'string') return item
  const entries: Record<string, unknown> = isObject(item) && isJsonObject(item) ? { ...item } : {}
  // Answers of this service have `Image URL 1`.
  const fields = Object.keys(entries).filter((name) => /^Image URL \d+$/.test(name))
  const found = [...members, ...fields].map((name) => entries[name])
  const url = found.find((value) => typeof value === 'string' && value.trim() !== '')
  return typeof url === 'string'
    ? url
    : { expected: `must be a list of URLs, or of objects with ${members.join(', ')}`, got: `${shown(item)} in it` }
}

function urlsOfItem(url: string, options: UrlOptions): Item[] {
  if (options.assetSeparator !== undefined) return splitAt(url, options.assetSeparator)
  if (isOneUrl(url)) return [url]
  const advice = `${optionName(options, 'assetSeparator')} names the separator`
  return [{ expected: `must have one URL in each item of a list; ${advice}`, got: shown(url) }]
}

function listOf(text: string, options: UrlOptions): Item[] {
  if (hasTooManyValues(text)) return [{ expected: tooManyValues }]
  const list = parsedJson(text)
  return Array.isArray(list)
    ? itemsOf(list, options)
    : [{ expected: 'must be a JSON list, as it begins with [', got: shown(text) }]
}

function completeAll(items: readonly Item[], options: UrlOptions): FoundUrls {
  const found: FoundUrls = { urls: [], faults: [] }
  const hasAbsolute = items.some((item) => typeof item === 'string' && scheme.test(item))
  for (const item of items) {
    if (item === '') continue
    const result = typeof item === 'string' ? completeUrl(item, options, hasAbsolute) : item
    if (typeof result === 'string') found.urls.push(result)
    else found.faults.push(result)
  }
  return found
}

/**
 * What no relative path has: characters of HTML, Windows or errors of spreadsheets, a host, a URL that begins neither
 * after a slash nor in the query, a label, or words for nothing.
 */
const noPath =
  /["<>\\#]|^[^?]*[^/?a-z+.-][a-z][a-z0-9+.-]{0,20}:\/\/|^[^?]*[:=]$|^www\.|^https?(?:[:/]|%3A)|^[^\p{L}\p{N}]*$|^(0|null|none|nan|n\/a|false|undefined|no_selection|no[ _-]?(image|photo|picture)|[\p{L}'’-]+(?: [\p{L}'’-]+){1,5})$/iu

/**
 * Joins base and path even where the path begins with a slash: it is a path below the base, as shops export it. Beside
 * an absolute URL a word is none, as in `1 https://a.example/1`.
 */
function completeUrl(text: string, options: UrlOptions, isBesideUrl: boolean): Item {
  const { assetBase: base } = options
  const isPath = !scheme.test(text) && !noPath.test(text) && !(isBesideUrl && /^[^/.]*$/.test(text))
  const url = base === undefined || !isPath ? text : joinPath(base, text)
  const sentence = urlFault(url)
  if (sentence === undefined) return url
  const fault = ruleFault(sentence, url)
  const advice = `${optionName(options, 'assetBase')} would complete it`
  return base === undefined && isPath ? { ...fault, got: `${fault.got}; ${advice}` } : fault
}

function joinPath(base: string, path: string): string {
  if (path.startsWith('//')) return `${new URL(base).protocol}${path}`
  return `${base.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`
}
