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
  const asked = [...rootFields(document, operation)].map((field) => askedBy(root, field))
  const scopes = new Set<Scope>([operation.operation === 'mutation' ? 'write' : 'read'])
  if (asked.includes('admin')) scopes.add('admin')
  const access = { scopes, allStores: asked.includes('all stores') }
  known.set(operation, access)
  return access
}

function askedBy(root: GraphQLObjectType | null | undefined, field: string): FieldAccess['access'] {
  return (root?.getFields()[field]?.extensions as FieldAccess | undefined)?.access
}

/** The names of the root's fields, through fragments, which may go round in circles. */
function rootFields(document: DocumentNode, operation: OperationDefinitionNode): Set<string> {
  const fragments = new Map<string, SelectionSetNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition.selectionSet)
  }
  const names = new Set<string>()
  const open: SelectionSetNode[] = [operation.selectionSet]
  for (let selections = open.pop(); selections; selections = open.pop()) {
    for (const selection of selections.selections) {
      if (selection.kind === Kind.FIELD) names.add(selection.name.value)
      else if (selection.kind === Kind.INLINE_FRAGMENT) open.push(selection.selectionSet)
      else {
        const spread = fragments.get(selection.name.value)
        fragments.delete(selection.name.value)
        if (spread) open.push(spread)
      }
    }
  }
  return names
}
