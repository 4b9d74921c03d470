export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/**
 * One edit of a JSON text at one place: the value replaced or left out, its key given twice, or a member put next to
 * it. `at` counts the value's places and wraps around. The texts need not be JSON.
 */
export interface Edit {
  kind: 'replace' | 'drop' | 'twice' | 'add'
  at: number
  text: string
}

type Place = readonly (string | number)[]

/** The JSON text of a value after the edits. Each character of it is one byte. */
export function jsonText(value: Json, edits: readonly Edit[]): string {
  const places = placesOf(value, [])
  const at = new Map(edits.map((edit) => [nameOf(places[edit.at % places.length] ?? []), edit]))
  return written(value, [], at)
}

/** The bytes of a text in UTF-8, one character each. */
export function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1')
}

function placesOf(value: Json, place: Place): Place[] {
  return [place, ...members(value).flatMap(([key, member]) => placesOf(member, [...place, key]))]
}

function members(value: Json): [string | number, Json][] {
  if (Array.isArray(value)) return value.map((item, i) => [i, item])
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

function written(value: Json, place: Place, edits: ReadonlyMap<string, Edit>): string {
  const edit = edits.get(nameOf(place))
  if (edit?.kind === 'replace') return edit.text
  if (typeof value !== 'object' || value === null) return bytesOf(JSON.stringify(value))
  const isList = Array.isArray(value)
  const parts = members(value).flatMap(([key, member]) => {
    const name = isList ? '' : `${bytesOf(JSON.stringify(key))}:`
    const inner = edits.get(nameOf([...place, key]))
    if (inner?.kind === 'drop') return []
    const itself = `${name}${written(member, [...place, key], edits)}`
    return inner?.kind === 'twice' ? [itself, `${name}${inner.text}`] : [itself]
  })
  if (edit?.kind === 'add') parts.push(isList ? edit.text : `"__proto__":${edit.text}`)
  return isList ? `[${parts.join(',')}]` : `{${parts.join(',')}}`
}

function nameOf(place: Place): string {
  return JSON.stringify(place)
}
