import {
  type DocumentNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { forbidden } from '../errors.ts'
import { type Caller, hasScope, type Scope } from '../request/caller.ts'

/** The rights that an operation requires: scopes, and whether the token must not be limited to stores. */
export interface Access {
  scopes: ReadonlySet<Scope>
  allStores: boolean
  /** Whether the payload of a mutation reads more than its write returns. */
  readsInPayload: boolean
}

/**
 * What a field requires beyond the scope of its operation, in its extensions: `read` in the payload of a mutation;
 * `webhook` and `read` anywhere, in place of `write`.
 */
interface FieldAccess {
  access?: 'admin' | 'all stores' | 'read' | 'webhook'
  returnsStored?: boolean
}

/** Extensions of a mutation that returns more than it writes, such as an object that was there before. */
export const returnsStored = { returnsStored: true }

/** The fields of such an object that a token with `write` alone may select: they repeat arguments of the mutation. */
const repeated = ['__typename', 'storeUuid', 'jobId']

/** Extensions of a type whose objects are part of what a write returns, and read nothing. */
export const partOfResult = { isPartOfResult: true }

/** `read` for queries, `write` for mutations, both if the payload reads; fields may require others. */
export function accessOf({ operation }: OperationDefinitionNode, fields: readonly SelectedField[]): Access {
  const isMutation = operation === 'mutation'
  const accessOfField = ({ field }: SelectedField) => (field?.extensions as FieldAccess | undefined)?.access
  const roots = fields.filter(({ isRoot }) => isRoot)
  const required = roots.map(accessOfField)
  const isOfWebhooks = (field: SelectedField) => accessOfField(field) === 'webhook'
  const scopes = new Set<Scope>([isMutation && !roots.every(isOfWebhooks) ? 'write' : 'read'])
  if (fields.some(isOfWebhooks)) scopes.add('webhook').add('read')
  const stored = new Set<GraphQLNamedType>(
    fields.flatMap(({ isRoot, field }) =>
      isRoot && field && (field.extensions as FieldAccess).returnsStored ? getNamedType(field.type) : [],
    ),
  )
  const readsInPayload =
    isMutation &&
    fields.some(({ isRoot, type, field, name }) => {
      return !isRoot && field && (reads(field) || (type && stored.has(type) && !repeated.includes(name)))
    })
  if (readsInPayload) scopes.add('read')
  if (required.includes('admin')) scopes.add('admin')
  return { scopes, allStores: required.includes('all stores'), readsInPayload }
}

/** Whether a field of a payload reads: it has arguments, or objects outside the result of the write. */
function reads({ args, extensions, type }: GraphQLField<unknown, unknown>): boolean {
  const of = getNamedType(type)
  return (
    args.length > 0 ||
    (extensions as FieldAccess).access === 'read' ||
    (isCompositeType(of) && !of.extensions.isPartOfResult)
  )
}

export function requireAccess(access: Access, caller: Caller): void {
  const lack = lackOf(access, caller)
  if (lack) throw forbidden(lack)
}

/** What keeps the caller from an operation. */
export function lackOf({ scopes, allStores }: Access, caller: Caller): string | undefined {
  const lacking = [...scopes].find((scope) => !hasScope(caller, scope))
  if (lacking) return `the token must have the scope ${lacking}`
  return allStores && caller.viewer.stores ? 'the token must not be limited to stores' : undefined
}

export interface SelectedField {
  name: string
  isRoot: boolean
  /** How many of the fields down to this one are lists. */
  lists: number
  /** The type that has the field. Undefined in an invalid document, as is `field`. */
  type: GraphQLNamedType | undefined
  field: GraphQLField<unknown, unknown> | undefined
}

/** The fields of an operation in order, those of each fragment once: fragments may be cyclic. Needs no validation. */
export function fieldsOf(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode) {
  const definitions = document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
  const fragments = new Map(definitions.map((fragment) => [fragment.name.value, fragment]))
  const root = schema.getRootType(operation.operation)
  const found: SelectedField[] = []
  const collect = ({ selections }: SelectionSetNode, type: GraphQLNamedType | null | undefined, above = 0): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const name = selection.name.value
        const field = isObjectType(type) ? type.getFields()[name] : undefined
        const lists = field && isListType(getNullableType(field.type)) ? above + 1 : above
        found.push({ name, isRoot: type === root, lists, type: type ?? undefined, field })
        if (selection.selectionSet) collect(selection.selectionSet, field && getNamedType(field.type), lists)
        continue
      }
      const isSpread = selection.kind === Kind.FRAGMENT_SPREAD
      const part = isSpread ? fragments.get(selection.name.value) : selection
      if (isSpread) fragments.delete(selection.name.value)
      const condition = part?.typeCondition
      if (part) collect(part.selectionSet, condition ? schema.getType(condition.name.value) : type, above)
    }
  }
  collect(operation.selectionSet, root)
  return found
}
