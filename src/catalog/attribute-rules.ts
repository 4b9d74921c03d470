import type { Selectable } from 'kysely'
import type { Database } from '../database/tables.ts'
import { patternOf } from './patterns.ts'
import { isAbsoluteUrl, isName, isStorable, lengthOf, shown } from './text.ts'

export type AttributeType = Database['attribute_definition']['type']

/** What a store demands of the values of one attribute. */
export interface AttributeDefinition {
  name: string
  type: AttributeType
  allowedValues: string[] | null
  maxLength: number | null
  pattern: string | null
}

/** A definition that a store has. */
export interface StoredDefinition extends AttributeDefinition {
  storeUuid: string
}

/** Says what is wrong with a value that came for an attribute, or undefined when it may be stored. */
export type AttributeJudge = (name: string, value: unknown) => string | undefined

const longestValue = 65_535
/** How many names a judge remembers: what many products share is judged once. */
const mostNames = 10_000
const reserved = new Set(['product_code', 'assets'])

/** A judge for a store's attributes. An attribute without a definition takes any string (decisions: Products). */
export function attributeJudge(definitions: readonly AttributeDefinition[]): AttributeJudge {
  const rules = new Map(definitions.map((definition) => [definition.name, valueRule(definition)]))
  const goodNames = new Set(rules.keys())
  return (name, value) => {
    if (!goodNames.has(name)) {
      const fault = nameFault(name)
      if (fault !== undefined) return fault
      if (goodNames.size < mostNames) goodNames.add(name)
    }
    return textFault(name, value) ?? rules.get(name)?.(value as string)
  }
}

/** Says what is wrong with an attribute's name, or undefined. */
export function nameFault(name: string): string | undefined {
  if (reserved.has(name)) return `${name} cannot be an attribute's name`
  if (!isName(name)) return "an attribute's name must have 1 to 255 characters, without NUL or lone surrogates"
  return undefined
}

function textFault(name: string, value: unknown): string | undefined {
  if (name === 'status') return statusFault(value)
  if (typeof value !== 'string') return `must be a string; got ${shown(value)}`
  if (!isStorable(value)) return `must be a string without NUL and lone surrogates; got ${shown(value)}`
  if (value.length > longestValue && lengthOf(value) > longestValue) {
    return `must have at most ${longestValue} characters; got ${lengthOf(value)}`
  }
  return undefined
}

/** `status` lies beside the attributes, never among them: it comes here only when it is no string, or misplaced. */
function statusFault(value: unknown): string {
  if (typeof value === 'string') return 'is the status of the product, not an attribute: give it beside the attributes'
  return `must be a string, one of the product statuses; got ${shown(value)}`
}

/** The check of one attribute's values: says what is wrong with a value, or undefined. */
export function valueRule(definition: AttributeDefinition): (value: string) => string | undefined {
  const { type, allowedValues, maxLength } = definition
  const pattern = definition.pattern === null ? undefined : patternOf(definition.pattern)
  const allowed = allowedValues === null ? undefined : new Set(allowedValues)
  const choice = brief(allowedValues?.join(', ') ?? '')
  const wanted = brief(definition.pattern ?? '')
  return (value) => {
    if (!isOfType[type](value)) return `must be ${expected[type]}; got ${shown(value)}`
    if (allowed && !allowed.has(value)) return `must be one of ${choice}; got ${shown(value)}`
    if (maxLength !== null && lengthOf(value) > maxLength) {
      return `must have at most ${maxLength} characters; got ${lengthOf(value)}`
    }
    if (pattern && !pattern.testExact(value)) {
      return `must match the pattern ${wanted}; got ${shown(value)}`
    }
    return undefined
  }
}

/** Part of a reason that ten thousand products may repeat: what is very long is cut. */
function brief(text: string): string {
  return text.length <= 1_000 ? text : `${text.slice(0, 1_000).toWellFormed()}…`
}

const expected: Record<AttributeType, string> = {
  text: 'a text',
  number: 'a decimal number such as 12.5',
  boolean: 'true or false',
  date: 'a date YYYY-MM-DD',
  url: 'an absolute URL with a host',
  enum: 'one of the allowed values',
}

const isOfType: Record<AttributeType, (value: string) => boolean> = {
  text: () => true,
  number: (value) => /^-?\d+(\.\d+)?$/.test(value),
  boolean: (value) => value === 'true' || value === 'false',
  date: isDate,
  url: isAbsoluteUrl,
  enum: () => true,
}

/** Whether the text is a day that the calendar has. */
function isDate(value: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
  const day = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value)
}

/** A definition as a row of the table, turned into the catalogue's words. */
export function definitionOf(row: Selectable<Database['attribute_definition']>): StoredDefinition {
  return {
    storeUuid: row.store_uuid,
    name: row.name,
    type: row.type,
    allowedValues: row.allowed_values,
    maxLength: row.max_length,
    pattern: row.pattern,
  }
}
