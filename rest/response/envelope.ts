import { isObject } from '../../src/text.ts'

/** The envelope as JSON text, around data that is JSON text already (spec: Response envelope). */
export function envelope(code: 0 | -1, message: string, requestId: string, data: string): string {
  return `${head(code, message, requestId)}${data}${end}`
}

/** The same of a success, around bytes of JSON text. */
export function envelopeAround(message: string, requestId: string, data: Buffer): Buffer[] {
  return [Buffer.from(head(0, message, requestId)), data, Buffer.from(end)]
}

const end = '}'

function head(code: 0 | -1, message: string, requestId: string): string {
  return `{"status":${JSON.stringify({ code, message, request_id: requestId })},"data":`
}

/** JSON text in which maps are objects: an object of JavaScript loses `__proto__` and moves keys such as `1002`. */
export function toJson(value: unknown): string {
  if (value instanceof Map) return braces([...value])
  return isObject(value) && hasMap(value) ? braces(Object.entries(value)) : JSON.stringify(value)
}

function hasMap(object: object): boolean {
  return Object.values(object).some((value) => value instanceof Map || (isObject(value) && hasMap(value)))
}

function braces(entries: [string, unknown][]): string {
  let json = ''
  for (const [key, value] of entries) json += `${json === '' ? '{' : ','}${JSON.stringify(key)}:${toJson(value)}`
  return json === '' ? '{}' : `${json}}`
}
