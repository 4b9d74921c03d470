import { urlFault } from '../../catalogue/assets/url-fields.ts'
import { parsedJson, shown } from '../../text.ts'
import { hasTooManyValues, tooManyValues } from '../read/json-row.ts'
import { type Cell, maxUrls } from '../read/row.ts'

interface UrlRules {
  /** The text between the URLs of a cell; undefined: it holds one URL. */
  separator: string | undefined
  /** The URL that relative URLs are joined to. */
  base: string | undefined
  /** The name of the option that would give the base. */
  baseOption: string
}

/** The URLs in a cell, in order: one, several, a list, or none. Throws a TypeError that says what is wrong with it. */
export function assetUrls(cell: Cell, { separator, ...rules }: UrlRules): string[] {
  const texts = (typeof cell === 'string' ? textsOf(cell, separator) : listOf(cell)).map((text) => text.trim())
  return texts.filter((text) => text !== '').map((text) => completed(text, rules))
}

function textsOf(text: string, separator: string | undefined): string[] {
  if (separator === undefined) return [text]
  if (text.trimStart().startsWith('[')) {
    if (hasTooManyValues(text)) throw new TypeError(tooManyValues)
    const list = parsedJson(text)
    if (Array.isArray(list)) return listOf(list)
  }
  return text.split(separator, maxUrls + 1)
}

function listOf(list: readonly unknown[]): string[] {
  return list
    .filter((item) => item !== null)
    .map((item) => {
      if (typeof item === 'string') return item
      throw new TypeError(`must be a list of URLs; got ${shown(item)} in it`)
    })
}

/** Joins base and path even where the path begins with a slash: it is a path below the base, as shops export it. */
function completed(text: string, { base, baseOption }: Omit<UrlRules, 'separator'>): string {
  const isAbsolute = /^[a-z][a-z0-9+.-]*:/i.test(text)
  const url = base === undefined || isAbsolute ? text : joined(base, text)
  const fault = urlFault(url)
  if (fault === undefined) return url
  throw new TypeError(base === undefined && !isAbsolute ? `${fault}; ${baseOption} would complete it` : fault)
}

function joined(base: string, path: string): string {
  if (path.startsWith('//')) return `${new URL(base).protocol}${path}`
  return `${base.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`
}
