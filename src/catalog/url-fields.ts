/** The name of the field that carries the URL of an asset: `Image URL 1` for the first of an image group (spec: Asset entry). */
export function urlField(assetFormat: string, position: number): string {
  return `${wordOf(assetFormat)} URL ${position}`
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
