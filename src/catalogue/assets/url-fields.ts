import { hasAtMost, isAbsoluteUrl, shown } from '../../text.ts'
import type { Enumerations } from '../enumerations.ts'

/** The name of a URL field, such as `Image URL 1` (spec: Asset entry). */
export function urlField(assetFormat: string, position: number): string {
  return urlFieldsOf(assetFormat)(position)
}

/** The names of the URL fields of a format. They are cached, because making them took a third of the time of a page. */
export function urlFieldsOf(assetFormat: string): (position: number) => string {
  const kept = urlFields.get(assetFormat)
  if (kept) return kept
  const prefix = `${wordOf(assetFormat)} URL `
  const first = Array.from({ length: 20 }, (_, i) => prefix + (i + 1))
  const fieldAt = (position: number) => first[position - 1] ?? prefix + position
  if (urlFields.size < 100) urlFields.set(assetFormat, fieldAt)
  return fieldAt
}

const urlFields = new Map<string, (position: number) => string>()

/** What a URL field names. Without a channel, it is that of its request or file. */
export interface UrlField {
  channel?: string | undefined
  assetFormat: string
  position: number
}

/** What a field names; undefined if it is no URL field of these formats. */
export function parseUrlField(assetFormats: readonly string[], field: string): UrlField | undefined {
  const [, word, digits] = /^(.+) URL ([1-9]\d*)$/.exec(field) ?? []
  const assetFormat = word === undefined ? undefined : assetFormats.find((format) => wordOf(format) === word)
  return assetFormat === undefined ? undefined : { assetFormat, position: Number(digits) }
}

/** The same for a field that may begin with its channel, as `SMP: Image URL 1`. */
export function parseChannelField(
  { channels, assetFormats }: Pick<Enumerations, 'channels' | 'assetFormats'>,
  field: string,
): UrlField | undefined {
  for (const channel of [undefined, ...channels]) {
    const prefix = channel === undefined ? '' : `${channel}: `
    const parsed = field.startsWith(prefix) ? parseUrlField(assetFormats, field.slice(prefix.length)) : undefined
    if (parsed) return { channel, ...parsed }
  }
  return undefined
}

/** Reads names of URL fields, each once: ten thousand products have the same ones. */
export function urlFieldReader(enumerations: Enumerations | undefined): (name: string) => UrlField | undefined {
  const known = new Map<string, UrlField | undefined>()
  return (name) => {
    if (!enumerations || !name.includes(' URL ')) return undefined
    if (!known.has(name)) known.set(name, parseChannelField(enumerations, name))
    return known.get(name)
  }
}

function wordOf(assetFormat: string): string {
  const [first = ''] = assetFormat
  return assetFormat === 'pdf' ? 'PDF' : first.toUpperCase() + assetFormat.slice(first.length)
}

const maxUrlLength = 2048

/** Where a list of URLs goes on. Other commas and blanks are a URL's own. */
const nextUrl = /[^\s,|;][\s,|;]+[a-z][a-z0-9+.-]*:\/\//i

/** The fault of the URL of an asset, which is one, not a list of several; or undefined. */
export function urlFault(value: unknown): string | undefined {
  if (typeof value === 'string' && nextUrl.test(value)) {
    return `must be one URL; got several, or a separator that is not percent-encoded: ${shown(value)}`
  }
  if (typeof value === 'string' && hasAtMost(value, maxUrlLength) && isAbsoluteUrl(value)) return undefined
  return `must be an absolute URL with a host, of up to ${maxUrlLength} characters; got ${shown(value)}`
}
