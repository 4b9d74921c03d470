import type { DocumentNode } from 'graphql'
import type { Caller } from '../auth/caller.ts'
import { type Fault, invalidRequest } from '../errors.ts'
import { shapeOf } from './document-shape.ts'

/** The most that a document may be (spec: none; the service's own). */
export interface Limits {
  tokens: number
  operations: number
  fragments: number
  fields: number
  aliases: number
  directives: number
  rootFields: number
  depth: number
  introspectionDepth: number
  cost: number
}

const ordinary: Limits = {
  tokens: 10_000,
  operations: 20,
  fragments: 50,
  fields: 500,
  aliases: 50,
  directives: 50,
  rootFields: 20,
  depth: 12,
  introspectionDepth: 25,
  cost: 250_000,
}

/** Administrators run wider documents, and still none that a service could not bear. */
const administrators: Limits = {
  ...ordinary,
  tokens: 20_000,
  fields: 1_000,
  aliases: 200,
  rootFields: 100,
  cost: 1_000_000,
}

/** The limits of a caller, by the class of the token. */
export function limitsOf({ scopes }: Caller): Limits {
  return scopes.has('admin') ? administrators : ordinary
}

const words: [limit: keyof Limits & keyof ReturnType<typeof shapeOf>, what: string][] = [
  ['operations', 'operations'],
  ['fragments', 'fragments'],
  ['fields', 'fields, those of fragments counted at each place,'],
  ['aliases', 'aliases'],
  ['directives', 'directives'],
  ['rootFields', 'fields of the root'],
  ['depth', 'levels of fields'],
  ['introspectionDepth', 'levels of introspection'],
]

/** Throws `invalid_request` with every limit that a parsed document exceeds. Needs neither schema nor validation, and comes before both. */
export function requireShape(document: DocumentNode, limits: Limits): void {
  const shape = shapeOf(document)
  const faults = words.flatMap(([limit, what]): Omit<Fault, 'reason'>[] =>
    shape[limit] <= limits[limit]
      ? []
      : [
          {
            field: 'query',
            details: `the document must have at most ${limits[limit]} ${what}; it has ${shape[limit]}`,
          },
        ],
  )
  if (faults.length > 0) throw invalidRequest(faults)
}
