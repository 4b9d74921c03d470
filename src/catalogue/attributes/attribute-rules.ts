import { z } from 'zod'
import { lazy } from '../../lazy.ts'
import { isAbsoluteUrl, isName, isStorable, lengthOf, shown } from '../../text.ts'
import { brief, reasonOf } from '../bounded-failures.ts'
import type { Catalogue } from '../catalogue.ts'
import { oneOfFault, productStatuses } from '../enumerations.ts'
import {
  maxCharactersFor,
  type PatternResult,
  type PatternTask,
  patternOf,
  runBounded,
  runPatterns,
  runTasks,
} from './patterns.ts'

type AttributeType = 'text' | 'number' | 'boolean' | 'date' | 'url' | 'enum'

/** The rules for the values of an attribute. */
export interface AttributeDefinition {
  name: string
  type: AttributeType
  allowedValues: string[] | null
  maxLength: number | null
  pattern: string | null
}

/** The rules with the uses of the attribute. */
export interface StoredDefinition extends AttributeDefinition {
  storeUuid: string
  filterable: boolean
  searchable: boolean
  /** Whether `product_index` has the values of all products. */
  isIndexed: boolean
  /** Whether `product_text` has them. */
  isSearched: boolean
}

/** The names of the attributes that are numbers. */
export function numbersOf(definitions: readonly AttributeDefinition[]): ReadonlySet<string> {
  return new Set(definitions.filter(({ type }) => type === 'number').map(({ name }) => name))
}

/** Returns the fault of the value of an attribute, or undefined if it may be stored. */
export type AttributeValidator = (name: string, value: unknown) => string | undefined

/** The values that do not match their pattern, by attribute. */
export type Mismatches = ReadonlyMap<string, ReadonlySet<string>>

export const maxValueLength = 65_535
const reserved = new Set(['product_code', 'assets'])

/**
 * The validator of a store's attributes. An attribute without a definition takes any string. `mismatches` has the
 * attributes whose values were matched before; the validator matches the values of other attributes itself.
 */
export function attributeValidator(
  definitions: readonly AttributeDefinition[],
  mismatches?: Mismatches,
): AttributeValidator {
  const rules = new Map(
    definitions.map((definition) => [definition.name, valueRule(definition, mismatches?.get(definition.name))]),
  )
  return (name, value) => nameFault(name) ?? textFault(name, value) ?? rules.get(name)?.(value as string)
}

/** The fault of an attribute's name, or undefined. */
export function nameFault(name: string): string | undefined {
  if (reserved.has(name)) return `${name} cannot be an attribute's name`
  if (!isName(name)) return "an attribute's name must have 1 to 255 characters, without NUL or lone surrogates"
  return undefined
}

function textFault(name: string, value: unknown): string | undefined {
  if (name === 'status') {
    // The status is a field of the product. Among the attributes it is misplaced, even if its value is valid.
    if (typeof value !== 'string') return `must be one of ${productStatuses.join(', ')}; got ${shown(value)}`
    const misplaced = 'is the status of the product, not an attribute: give it outside the attributes'
    return oneOfFault(value, productStatuses) ?? misplaced
  }
  if (typeof value !== 'string') return `must be a string; got ${shown(value)}`
  if (!isStorable(value)) return `must be a string without NUL and lone surrogates; got ${shown(value)}`
  if (value.length > maxValueLength && lengthOf(value) > maxValueLength) {
    return `must have at most ${maxValueLength} characters; got ${lengthOf(value)}`
  }
  return undefined
}

/** The rule of an attribute: returns the fault of a value, or undefined. */
export function valueRule(
  definition: AttributeDefinition,
  mismatches?: ReadonlySet<string>,
): (value: string) => string | undefined {
  const { type, allowedValues, maxLength, pattern } = definition
  const allowed = allowedValues === null ? undefined : lazy(() => new Set(allowedValues))
  const choice = lazy(() => `must be one of ${brief(allowedValues?.join(', ') ?? '')}`)
  const wanted = `must match the pattern ${brief(pattern ?? '')}`
  const maxCharacters = lazy(() => maxCharactersFor(pattern ?? ''))
  return (value) => {
    if (!isOfType[type](value)) return `must be ${expected[type]}; got ${shown(value)}`
    if (allowed && !allowed().has(value)) return reasonOf(choice(), shown(value))
    if (maxLength !== null && lengthOf(value) > maxLength) {
      return `must have at most ${maxLength} characters; got ${lengthOf(value)}`
    }
    if (pattern === null) return undefined
    const max = maxCharacters()
    if (value.length > max && lengthOf(value) > max) {
      return `must have at most ${max} characters, as a pattern of its size holds; got ${lengthOf(value)}`
    }
    const matches = mismatches ? !mismatches.has(value) : patternOf(pattern).testExact(value)
    return matches ? undefined : reasonOf(wanted, shown(value))
  }
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
  date: (value) => z.regexes.date.test(value),
  url: isAbsoluteUrl,
  enum: () => true,
}

type Attributes = Readonly<Record<string, unknown>> | null | undefined

/** The values of a request that do not match their patterns. Throws `payload_too_large`. */
export async function findMismatches(
  { patterns }: Catalogue,
  definitions: readonly AttributeDefinition[],
  patches: readonly { attributes?: Attributes }[],
): Promise<Mismatches> {
  const tasks = tasksOf(definitions, patches)
  if (tasks.length === 0) return new Map()
  return mismatchesOf(tasks, await (patterns ? runBounded(patterns, tasks) : runPatterns(tasks)))
}

/** The stored values that do not match their patterns, without a bound. */
export async function findStoredMismatches(
  { patterns = { work: 0 } }: Catalogue,
  definitions: readonly AttributeDefinition[],
  products: readonly { attributes: Attributes }[],
): Promise<Mismatches> {
  const tasks = tasksOf(definitions, products)
  return mismatchesOf(tasks, await runTasks(patterns, tasks))
}

/** The faults of patterns to define, by pattern. Throws `payload_too_large`. */
export async function findBadPatterns(
  { patterns = { work: 0 } }: Catalogue,
  texts: readonly string[],
): Promise<Map<string, string>> {
  const tasks = texts.map((pattern) => ({ pattern, values: [] }))
  const results = await runBounded(patterns, tasks)
  return new Map(results.flatMap(({ fault }, i) => (fault === undefined ? [] : [[texts[i] ?? '', fault]])))
}

type NamedTask = PatternTask & { name: string }

function mismatchesOf(tasks: readonly NamedTask[], results: readonly PatternResult[]): Mismatches {
  return new Map(tasks.map(({ name }, i) => [name, new Set(results[i]?.mismatches)]))
}

/** The values of attributes with a pattern, each once, without those that are too long for it. */
function tasksOf(definitions: readonly AttributeDefinition[], products: readonly { attributes?: Attributes }[]) {
  const tasks = new Map<string, { pattern: string; most: number; values: Set<string> }>()
  for (const { name, pattern } of definitions) {
    if (pattern !== null) tasks.set(name, { pattern, most: maxCharactersFor(pattern), values: new Set() })
  }
  for (const { attributes } of tasks.size > 0 ? products : []) {
    for (const name in attributes) {
      const [task, value] = [tasks.get(name), attributes[name]]
      if (task && typeof value === 'string' && lengthOf(value) <= task.most) task.values.add(value)
    }
  }
  return Array.from(tasks, ([name, { pattern, values }]): NamedTask => ({ name, pattern, values: [...values] })).filter(
    ({ values }) => values.length > 0,
  )
}
