import { LRUCache } from 'lru-cache'
import { RE2JS } from 're2js'
import { spend, spendBeforeWriting } from '../allowance.ts'
import type { AttributeDefinition } from './attribute-rules.ts'

/** What a pattern has learned of values is worth more than it: it is compiled once. */
const compiled = new LRUCache<string, RE2JS>({ max: 100 })

/** The pattern, compiled (decisions: Products, `pattern`). Throws what is wrong with it. */
export function patternOf(text: string): RE2JS {
  const known = compiled.get(text) ?? RE2JS.compile(text)
  compiled.set(text, known)
  return known
}

/** The most that RE2 repeats anything, nested repetitions together. */
const mostRepeats = 1_000
/** To compile it costs as much as so many characters of values. */
const compiling = 200
/** Steps that take as long as to work on one character of JSON. */
const stepsPerCharacter = 4

/** About how many steps a pattern has, as each character of a value may take all of them: its length, as often as it repeats. */
function stepsOf(pattern: string): number {
  const counts = [...pattern.matchAll(/\{(?:\d+,)?(\d+),?\}/g)].map(([, count]) => Number(count) || 1)
  return (
    pattern.length *
    Math.min(
      mostRepeats,
      counts.reduce((product, count) => product * count, 1),
    )
  )
}

type Patterns = readonly Pick<AttributeDefinition, 'name' | 'pattern'>[]

function costOf(definitions: Patterns, charactersOf: (name: string, nth: number) => number): number {
  let steps = 0
  for (const [nth, { name, pattern }] of definitions.entries()) {
    if (pattern === null) continue
    const characters = charactersOf(name, nth)
    if (characters > 0) steps += stepsOf(pattern) * ((compiled.has(pattern) ? 0 : compiling) + characters)
  }
  return steps / stepsPerCharacter
}

/** Takes what it will cost to judge the patches, before anything is written, from what may be done here. Throws `unavailable` when it is done elsewhere. */
export function spendOnPatches(
  definitions: Patterns,
  patches: readonly { attributes?: Readonly<Record<string, unknown>> | null | undefined }[],
): void {
  const charactersOf = (name: string) =>
    patches.reduce((sum, { attributes }) => sum + String(attributes?.[name] ?? '').length, 0)
  spendBeforeWriting(costOf(definitions, charactersOf))
}

/** The same for definitions that are new: their patterns must be compiled. */
export function spendOnDefinitions(definitions: Patterns): void {
  spendBeforeWriting(costOf(definitions, () => 1))
}

/** The same for values that are stored: in each row one for each definition. */
export function spendOnValues(definitions: Patterns, values: readonly (readonly (string | null)[])[]): void {
  spend(costOf(definitions, (_name, nth) => values.reduce((sum, row) => sum + (row[nth]?.length ?? 0), 0)))
}
