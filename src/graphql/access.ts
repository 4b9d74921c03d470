import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isObjectType,
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
  /** Whether the payload of a mutation has more than what its write returns. */
  readsInPayload: boolean
}

/** What a field requires beyond the scope of its operation, in its extensions: `read` in the payload of a mutation. */
interface FieldAccess {
  access?: 'admin' | 'all stores' | 'read'
}

/** Extensions of a type whose objects are part of what a write returns, and read nothing. */
export const partOfResult = { isPartOfResult: true }

/** `read` for queries, `write` for mutations, both if the payload reads; root fields may add. Needs no validation. */
export function accessOf(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): Access {
  const fields = schema.getRootType(operation.operation)?.getFields() ?? {}
  const required = [...rootFields(document, operation)].map(
    (name) => (fields[name]?.extensions as FieldAccess | undefined)?.access,
  )
  const scopes = new Set<Scope>([operation.operation === 'mutation' ? 'write' : 'read'])
  const readsInPayload = operation.operation === 'mutation' && readsBelow(schema, document, operation)
  if (readsInPayload) scopes.add('read')
  if (required.includes('admin')) scopes.add('admin')
  return { scopes, allStores: required.includes('all stores'), readsInPayload }
}

export function requireAccess({ scopes, allStores }: Access, caller: Caller): void {
  for (const scope of scopes) {
    if (!hasScope(caller, scope)) throw forbidden(`the token must have the scope ${scope}`)
  }
  if (allStores && caller.viewer.stores) throw forbidden('the token must not be limited to stores')
}

/** The names of the operation's root fields, in order, through fragments, which may be cyclic. */
export function rootFields(document: DocumentNode, operation: OperationDefinitionNode): Set<string> {
  const fragments = fragmentsOf(document)
  const names = new Set<string>()
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) names.add(selection.name.value)
      else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet)
      else {
        const spread = fragments.get(selection.name.value)
        fragments.delete(selection.name.value)
        if (spread) collect(spread.selectionSet)
      }
    }
  }
  collect(operation.selectionSet)
  return names
}

function fragmentsOf({ definitions }: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]))
}

/** Whether a field below the root fields reads: it has arguments, or objects that are no part of the write's result. */
function readsBelow(schema: GraphQLSchema, document: DocumentNode, { selectionSet }: OperationDefinitionNode): boolean {
  const root = schema.getMutationType()
  const fragments = fragmentsOf(document)
  const readsIn = ({ selections }: SelectionSetNode, type: GraphQLNamedType | null | undefined): boolean =>
    selections.some((selection) => {
      if (selection.kind === Kind.FIELD) {
        const field = isObjectType(type) ? type.getFields()[selection.name.value] : undefined
        if (!field) return false
        const of = getNamedType(field.type)
        const isRead =
          field.args.length > 0 ||
          (field.extensions as FieldAccess).access === 'read' ||
          (isCompositeType(of) && !of.extensions.isPartOfResult)
        if (isRead && type !== root) return true
        return selection.selectionSet ? readsIn(selection.selectionSet, of) : false
      }
      const spread = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection
      if (!spread) return false
      // Once is enough, and fragments may be cyclic.
      if (spread.kind === Kind.FRAGMENT_DEFINITION) fragments.delete(spread.name.value)
      return readsIn(spread.selectionSet, spread.typeCondition ? schema.getType(spread.typeCondition.name.value) : type)
    })
  return readsIn(selectionSet, root)
}
