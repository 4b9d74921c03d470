import { type DocumentNode, Kind, visit } from 'graphql'
import { type CatalogueError, invalidRequest } from '../../errors.ts'
import { type Caller, hasScope } from '../../request/caller.ts'
import { maxItems } from '../../request/json-shape.ts'
import { type DocumentSize, measures } from './document-size.ts'

export interface Limits extends DocumentSize {
  characters: number
  tokens: number
  cost: number
}

const ordinary: Limits = {
  characters: 131_072,
  tokens: 5_000,
  brackets: 100,
  operations: 20,
  fragments: 50,
  fields: 500,
  aliases: 50,
  directives: 50,
  repeats: 50,
  rootFields: 20,
  depth: 12,
  introspectionDepth: 25,
  cost: 250_000,
}

const administrators: Limits = {
  ...ordinary,
  tokens: 10_000,
  fields: 1_000,
  aliases: 200,
  rootFields: 100,
  cost: 1_000_000,
}

export function limitsOf(caller: Caller): Limits {
  return hasScope(caller, 'admin') ? administrators : ordinary
}

export function requireWithin(size: DocumentSize, limits: Limits): void {
  const exceeded = (Object.keys(measures) as (keyof DocumentSize)[]).filter(
    (measure) => size[measure] > limits[measure],
  )
  if (exceeded.length === 0) return
  throw invalidRequest(exceeded.map((measure) => excess(limits[measure], measures[measure], String(size[measure]))))
}

/** The error for a document with too many of a unit, which are not all counted. */
export function tooLong(max: number, unit: 'characters' | 'tokens'): CatalogueError {
  return invalidRequest([excess(max, unit, 'more')])
}

export function tooCostly(max: number, cost: number): CatalogueError {
  const details = `the document must cost at most ${max}; at its page sizes it may cost ${cost}`
  return invalidRequest([{ field: 'query', details }])
}

function excess(max: number, description: string, found: string) {
  return { field: 'query', details: `the document must have at most ${max} ${description}; it has ${found}` }
}

/** Throws `invalid_request` if the lists of all fields together have more items than one list may have. */
export function requireFewItems(document: DocumentNode, variables: Record<string, unknown>): void {
  const lengths: number[] = []
  visit(document, {
    Argument: ({ value }) => {
      const given = value.kind === Kind.VARIABLE ? variables[value.name.value] : undefined
      if (Array.isArray(given)) lengths.push(given.length)
    },
  })
  const items = lengths.reduce((sum, length) => sum + length, 0)
  if (lengths.length < 2 || items <= maxItems) return
  const details = `the lists of all fields must have at most ${maxItems} items; they have ${items}: send several requests`
  throw invalidRequest([{ field: 'variables', details }])
}
