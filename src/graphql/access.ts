import {
  type DocumentNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { type Caller, hasScope, type Scope } from '../auth/caller.ts'
import { forbidden } from '../errors.ts'

/** What an operation asks of a token: scopes, and that no list of stores limits it. */
export interface Access {
  scopes: ReadonlySet<Scope>
  allStores: boolean
}

/** What a root field asks of a token beyond the scope of its operation; stands in the field's extensions. */
interface FieldAccess {
  access?: 'admin' | 'all stores'
}

/** Throws `forbidden` when the caller's token is not good for what the operation does. Looks at the document alone, before anything is run. */
export function requireAccess(
  schema: GraphQLSchema,
  document: DocumentNode,
  name: string | null | undefined,
  caller: Caller,
): void {
  for (const operation of operationsOf(document, name)) {
    const { scopes, allStores } = accessOf(schema, document, operation)
    for (const scope of scopes) {
      if (!hasScope(caller, scope)) throw forbidden(`the token must have the scope ${scope}`)
    }
    if (allStores && caller.viewer.stores) throw forbidden('the token must not be limited to stores')
  }
}

/** The operation that will be run; all where the document does not say. */
function operationsOf(document: DocumentNode, name: string | null | undefined): OperationDefinitionNode[] {
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
  const named = operations.filter((operation) => operation.name?.value === name)
  return named.length > 0 ? named : operations
}

const known = new WeakMap<OperationDefinitionNode, Access>()

/** What a query asks for is to read, what a mutation asks for is to write, and root fields may ask for more. */
function accessOf(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): Access {
  const seen = known.get(operation)
  if (seen) return seen
  const root = schema.getRootType(operation.operation)
  const fields = [...rootFields(document, operation.selectionSet, new Set())]
  const asked = fields.map((field) => askedBy(root, field))
  const scopes = new Set<Scope>([operation.operation === 'mutation' ? 'write' : 'read'])
  if (asked.includes('admin')) scopes.add('admin')
  const access = { scopes, allStores: asked.includes('all stores') }
  known.set(operation, access)
  return access
}

function askedBy(root: GraphQLObjectType | null | undefined, field: string): FieldAccess['access'] {
  return (root?.getFields()[field]?.extensions as FieldAccess | undefined)?.access
}

/** The names of the fields that a selection has, through its fragments, which may go round in circles. */
function* rootFields(document: DocumentNode, selections: SelectionSetNode, seen: Set<string>): Iterable<string> {
  for (const selection of selections.selections) {
    if (selection.kind === Kind.FIELD) yield selection.name.value
    else if (selection.kind === Kind.INLINE_FRAGMENT) yield* rootFields(document, selection.selectionSet, seen)
    else if (!seen.has(selection.name.value)) {
      const name = selection.name.value
      seen.add(name)
      for (const definition of document.definitions) {
        if (definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name)
          yield* rootFields(document, definition.selectionSet, seen)
      }
    }
  }
}
