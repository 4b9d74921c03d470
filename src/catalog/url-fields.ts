import { sql } from 'kysely'

/** The name of the field that carries the URL of an asset: `Image URL 1` for the first of an image group (spec: Asset entry). */
export function urlField(assetFormat: string, position: number): string {
  return urlFieldsOf(assetFormat)(position)
}

/** The same for many places of one format. */
export function urlFieldsOf(assetFormat: string): (position: number) => string {
  const begin = `${wordOf(assetFormat)} URL `
  return (position) => begin + position
}

/** Which format and place a field's name speaks of, or undefined when it is no URL field of these formats. */
export function parseUrlField(
  assetFormats: readonly string[],
  field: string,
): { assetFormat: string; position: number } | undefined {
  const [, word, digits] = /^(.+) URL ([1-9]\d{0,8})$/.exec(field) ?? []
  const assetFormat = word === undefined ? undefined : assetFormats.find((format) => wordOf(format) === word)
  return assetFormat === undefined ? undefined : { assetFormat, position: Number(digits) }
}

function wordOf(assetFormat: string): string {
  return assetFormat === 'pdf' ? 'PDF' : assetFormat.charAt(0).toUpperCase() + assetFormat.slice(1)
}

/** The field's name as it is stored: see `storedWord`. */
export function storedUrlField(assetFormat: string, position: number): string {
  const word = assetFormat.charCodeAt(0) < 128 ? wordOf(assetFormat) : assetFormat
  return `${word} URL ${position}`
}

/** The same word in SQL, of a column `asset_format`; but there a first letter beyond ASCII stays as it is: what is upper case depends on the server. */
export const storedWord = sql`
  case asset_format when 'pdf' then 'PDF'
    else translate(left(asset_format, 1), 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') || substr(asset_format, 2) end`

/** Entries as they are stored, with the words that their fields must have. In JSON no quote stands within a text without a backslash before it. */
export function withWords(assetFormat: string, entries: string): string {
  const begin = (word: string) => `,${JSON.stringify(word).slice(0, -1)} URL `
  if (assetFormat.charCodeAt(0) < 128) return entries
  return entries.replaceAll(begin(assetFormat), begin(wordOf(assetFormat)))
}
