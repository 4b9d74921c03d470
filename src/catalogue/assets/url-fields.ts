/**
 * The name of the field with the URL of an asset: `Image URL 1` for the first of an image group (spec: Asset entry).
 */
export function urlField(assetFormat: string, position: number): string {
  return urlFieldsOf(assetFormat)(position)
}

/** The same for many positions of one format. */
export function urlFieldsOf(assetFormat: string): (position: number) => string {
  const prefix = `${wordOf(assetFormat)} URL `
  return (position) => prefix + position
}

/** The format and position of a URL field's name; undefined when it is no URL field of these formats. */
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
