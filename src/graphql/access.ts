import {
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { type Caller, hasScope, type Scope } from '../auth/caller.ts'
import { forbidden } from '../errors.ts'

/** What an operation requires of a token: scopes, and whether the token must not be limited to stores. */
export interface Access {
  scopes: ReadonlySet<Scope>
  allStores: boolean
}

/** What a root field requires beyond the scope of its operation; set in the field's extensions. */
interface FieldAccess {
  access?: 'admin' | 'all stores'
}

/** Queries require `read` and mutations `write`; root fields may require more. Needs no validation. */
export function accessOf(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): Access {
  const fields = schema.getRootType(operation.operation)?.getFields() ?? {}
  const required = [...rootFields(document, operation)].map(
    (name) => (fields[name]?.extensions as FieldAccess | undefined)?.access,
  )
  const scopes = new Set<Scope>([operation.operation === 'mutation' ? 'write' : 'read'])
  if (required.includes('admin')) scopes.add('admin')
  return { scopes, allStores: required.includes('all stores') }
}

export function requireAccess({ scopes, allStores }: Access, caller: Caller): void {
  for (const scope of scopes) {
    if (!hasScope(caller, scope)) throw forbidden(`the token must have the scope ${scope}`)
  }
  if (allStores && caller.viewer.stores) throw forbidden('the token must not be limited to stores')
}

/** The names of the operation's root fields, in order, through fragments, which may be cyclic. */
export function rootFields(document: DocumentNode, operation: OperationDefinitionNode): Set<string> {
  const fragments = new Map<string, SelectionSetNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition.selectionSet)
  }
  const names = new Set<string>()
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) names.add(selection.name.value)
      else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet)
      else {
        const spread = fragments.get(selection.name.value)
        fragments.delete(selection.name.value)
        if (spread) collect(spread)
      }
    }
  }
  collect(operation.selectionSet)
  return names
}
