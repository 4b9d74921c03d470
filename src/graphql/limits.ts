import type { DocumentNode } from 'graphql'
import type { Caller } from '../auth/caller.ts'
import { type Fault, invalidRequest } from '../errors.ts'
import { type DocumentShape, shapeOf } from './document-shape.ts'
import { shapeOfText, type TextShape } from './text-shape.ts'

/** The most that a document may be (spec: none; the service's own). */
export type Limits = Omit<TextShape & DocumentShape, 'introspects'> & { cost: number }

const ordinary: Limits = {
  characters: 131_072,
  tokens: 5_000,
  brackets: 100,
  values: 1_000,
  operations: 20,
  fragments: 50,
  fields: 500,
  aliases: 50,
  directives: 50,
  variables: 100,
  repeats: 50,
  rootFields: 20,
  depth: 12,
  introspectionDepth: 25,
  cost: 250_000,
}

/** Administrators run wider documents, and still none that a service could not bear. */
const administrators: Limits = {
  ...ordinary,
  tokens: 10_000,
  values: 2_000,
  fields: 1_000,
  aliases: 200,
  rootFields: 100,
  cost: 1_000_000,
}

/** The limits of a caller, by the class of the token. */
export function limitsOf({ scopes }: Caller): Limits {
  return scopes.has('admin') ? administrators : ordinary
}

const words: Record<keyof Omit<Limits, 'cost'>, string> = {
  characters: 'characters, for variables may hold what is long',
  tokens: 'tokens',
  brackets: 'levels of brackets',
  values: 'words and signs in its arguments, for variables may stand there',
  operations: 'operations',
  fragments: 'fragments',
  fields: 'fields and fragments, counted at each place,',
  aliases: 'aliases',
  directives: 'directives',
  variables: 'variables',
  repeats: 'fields of one name in a selection',
  rootFields: 'fields of the root',
  depth: 'levels of fields',
  introspectionDepth: 'levels of introspection',
}
type Limited = keyof typeof words

/** Throws `invalid_request` with every limit that a document exceeds by its text alone. */
export function requireTextShape(document: string, limits: Limits): void {
  requireWithin(shapeOfText(document, limits), limits)
}

/** Throws `invalid_request` with every limit that a parsed document exceeds. Needs neither schema nor validation, and comes before both. */
export function requireShape(document: DocumentNode, limits: Limits): void {
  requireWithin(shapeOf(document), limits)
}

function requireWithin(shape: TextShape | DocumentShape, limits: Limits): void {
  const sizes = Object.entries(shape).filter((size): size is [Limited, number] => size[0] in words)
  const faults = sizes
    .filter(([what, size]) => size > limits[what])
    .map(([what, size]): Omit<Fault, 'reason'> => {
      const details = `the document must have at most ${limits[what]} ${words[what]}; it has ${found(what, size)}`
      return { field: 'query', details }
    })
  if (faults.length > 0) throw invalidRequest(faults)
}

/** Counting ends where tokens and brackets are too many. */
function found(what: Limited, size: number): number | string {
  return what === 'tokens' || what === 'brackets' ? 'more' : size
}
