import { hasLength, isStorable } from './model.ts'

/** An attribute definition; what is not demanded is null. */
export interface Definition {
  name: string
  type: 'text' | 'number' | 'boolean' | 'date' | 'url' | 'enum'
  allowedValues: string[] | null
  maxLength: number | null
  pattern: string | null
  filterable: boolean
  searchable: boolean
}

/** The patterns that the generators know: which of them RE2 takes, and what the whole value must then look like. */
export const patterns = new Map<string, RegExp | 'bad'>([
  ['[a-z]+', /^[a-z]+$/],
  ['a|ab', /^(?:a|ab)$/],
  ['\\d{1,2}', /^[0-9]{1,2}$/],
  ['', /^$/],
  ['(', 'bad'],
  ['a(?=b)', 'bad'],
  ['(a)\\1', 'bad'],
])

/** Whether a definition cannot be made; `before` are those that come before it in the request. */
export function isFaulty(definition: Definition, before: readonly Definition[]): boolean {
  const { name, type, allowedValues, maxLength, pattern } = definition
  return (
    !isName(name) ||
    name === 'status' ||
    before.some((other) => other.name === name) ||
    (type === 'enum' && !allowedValues?.length) ||
    !isStorable([allowedValues, pattern]) ||
    (maxLength !== null && maxLength < 1) ||
    (pattern !== null && patterns.get(pattern) === 'bad')
  )
}

export function isBad(definitions: ReadonlyMap<string, Definition>, name: string, value: unknown): boolean {
  if (!isName(name) || name === 'status') return true
  if (typeof value !== 'string' || !isStorable(value) || !hasLength(value, 0, 65_535)) return true
  const definition = definitions.get(name)
  if (!definition) return false
  const { type, allowedValues, maxLength, pattern } = definition
  const shape = pattern === null ? undefined : patterns.get(pattern)
  return (
    !isOfType[type](value) ||
    (allowedValues !== null && !allowedValues.includes(value)) ||
    (maxLength !== null && !hasLength(value, 0, maxLength)) ||
    (shape instanceof RegExp && !shape.test(value))
  )
}

function isName(name: string): boolean {
  return isStorable(name) && hasLength(name, 1, 255) && name !== 'product_code' && name !== 'assets'
}

const isOfType: Record<Definition['type'], (value: string) => boolean> = {
  text: () => true,
  enum: () => true,
  boolean: (value) => ['true', 'false'].includes(value),
  number: (value) => /^-?[0-9]+(\.[0-9]+)?$/.test(value),
  date: (value) => {
    const [, year = '', month = '', day = ''] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(value) ?? []
    const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
    return year !== '' && Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= days
  },
  url: (value) => /^[a-z]+:\/\/[^/]/i.test(value),
}
