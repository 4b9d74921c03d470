import type { DocumentNode, GraphQLSchema } from 'graphql'
import type { Caller } from '../auth/caller.ts'
import { type CatalogueError, forbidden } from '../errors.ts'
import { requireAccess } from './access.ts'
import { type Cost, costOf } from './cost.ts'
import { shapeOf } from './document-shape.ts'
import { limitsOf, requireShape, requireTextShape } from './limits.ts'

/** Who may ask what the schema is: every token, or those of administrators. */
export type Introspection = 'all' | 'admin'

/**
 * What a document must pass before it is run, in this order, each check throwing a `CatalogueError`. Plain functions of what is there: every way
 * in calls the same.
 */
export interface Guard {
  /** Before parsing: throws `invalid_request`. */
  text(query: string, caller: Caller): void
  /** After parsing, before validation: throws `forbidden`, `invalid_request`. */
  document(document: DocumentNode, operationName: string | null | undefined, caller: Caller): void
  /** After validation: what the operation costs; throws `invalid_request`. */
  cost(
    document: DocumentNode,
    operationName: string | null | undefined,
    variables: Record<string, unknown> | null | undefined,
    caller: Caller,
  ): Cost
  /** Whether errors may say which names the schema has. */
  mayIntrospect(caller: Caller): boolean
}

export function createGuard(schema: GraphQLSchema, introspection: Introspection): Guard {
  const mayIntrospect = ({ scopes }: Caller) => introspection === 'all' || scopes.has('admin')
  return {
    text: (query, caller) => requireTextShape(query, limitsOf(caller)),
    document: (document, operationName, caller) => {
      requireAccess(schema, document, operationName, caller)
      if (shapeOf(document).introspects && !mayIntrospect(caller)) {
        throw forbidden('the token must have the scope admin to ask what the schema is')
      }
      requireShape(document, limitsOf(caller))
    },
    cost: (document, operationName, variables, caller) =>
      costOf(schema, document, operationName, variables, limitsOf(caller).cost),
    mayIntrospect,
  }
}

/** The HTTP status of what a guard throws. */
export function refusalStatus({ code }: CatalogueError): number {
  return code === 'forbidden' ? 403 : 400
}
