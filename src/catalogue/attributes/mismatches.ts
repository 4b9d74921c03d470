import { lengthOf } from '../../text.ts'
import type { Catalogue } from '../catalogue.ts'
import type { AttributeDefinition, Mismatches } from './attribute-rules.ts'
import { maxCharactersFor, type PatternResult, type PatternTask, RequestPatterns, runPatterns } from './patterns.ts'

type Attributes = Readonly<Record<string, unknown>> | null | undefined

/** The values of a request that do not match their patterns. Throws `payload_too_large`. */
export async function findMismatches(
  { patterns }: Catalogue,
  definitions: readonly AttributeDefinition[],
  patches: readonly { attributes?: Attributes }[],
): Promise<Mismatches> {
  const tasks = tasksOf(definitions, patches)
  return mismatchesOf(tasks, await (patterns ? patterns.runBounded(tasks) : runPatterns(tasks)))
}

/** The stored values that do not match their patterns, without a bound. */
export async function findStoredMismatches(
  { patterns = new RequestPatterns() }: Catalogue,
  definitions: readonly AttributeDefinition[],
  products: readonly { attributes: Attributes }[],
): Promise<Mismatches> {
  const tasks = tasksOf(definitions, products)
  return mismatchesOf(tasks, await patterns.run(tasks))
}

/** The faults of patterns to define, by pattern. Throws `payload_too_large`. */
export async function findBadPatterns(
  { patterns = new RequestPatterns() }: Catalogue,
  texts: readonly string[],
): Promise<Map<string, string>> {
  const tasks = texts.map((pattern) => ({ pattern, values: [] }))
  const results = await patterns.runBounded(tasks)
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
