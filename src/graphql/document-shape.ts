import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'

/** How large a document is once its fragments are put in their places. */
export interface DocumentShape {
  operations: number
  fragments: number
  /** Fields and places of fragments, each as often as it would be visited. */
  fields: number
  aliases: number
  directives: number
  /** How often one selection of the answer has a field of the same name, or alias: validation compares each with each. */
  repeats: number
  /** Fields of the root, of the operation that has most. */
  rootFields: number
  /** The longest way from the root to a field; what lies within `__schema` and `__type` is counted apart. */
  depth: number
  introspectionDepth: number
  /** Whether `__schema` or `__type` is asked for. */
  introspects: boolean
}

const measured = new WeakMap<DocumentNode, DocumentShape>()

/**
 * Measures a document without running or checking it; the work grows with the document, however its fragments multiply. A spread of a fragment
 * within itself counts once: validation refuses such a document.
 */
export function shapeOf(document: DocumentNode): DocumentShape {
  const known = measured.get(document)
  if (known) return known
  const fragments = new Map<string, FragmentDefinitionNode>()
  const operations: OperationDefinitionNode[] = []
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
    else if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition)
  }
  const measure = createMeasure(fragments)
  // Validation goes through the definitions as they stand, also those that no operation uses; depth is what will be run.
  const all = [...operations, ...fragments.values()].map((definition) => ({
    ...measure(definition.selectionSet),
    own: countDirectives([definition, ...(definition.variableDefinitions ?? [])]),
  }))
  const run = operations.map(({ selectionSet }) => measure(selectionSet))
  const introspectionDepth = largest(run, (size) => size.introspectionDepth)
  const shape = {
    operations: operations.length,
    fragments: document.definitions.length - operations.length,
    fields: largest(all, (size) => size.fields),
    aliases: largest(all, (size) => size.aliases),
    directives: largest(all, (size) => size.directives + size.own),
    repeats: largest(all, (size) => size.repeats),
    rootFields: largest(run, (size) => size.top),
    depth: largest(run, (size) => size.depth),
    introspectionDepth,
    introspects: introspectionDepth > 0,
  }
  measured.set(document, shape)
  return shape
}

function countDirectives(nodes: readonly { directives?: readonly unknown[] | undefined }[]): number {
  return nodes.reduce((count, { directives = [] }) => count + directives.length, 0)
}

function largest<S>(sizes: readonly S[], of: (size: S) => number): number {
  return Math.max(0, ...sizes.map(of))
}

interface Size {
  fields: number
  aliases: number
  directives: number
  repeats: number
  /** The same for each name of the selection itself. */
  names: Map<string, number>
  /** Fields of the selection itself. */
  top: number
  depth: number
  introspectionDepth: number
}

function createMeasure(fragments: ReadonlyMap<string, FragmentDefinitionNode>): (selections: SelectionSetNode) => Size {
  const sizes = new Map<SelectionSetNode, Size | 'under way'>()
  const measure = (selections: SelectionSetNode): Size => {
    const known = sizes.get(selections)
    if (known !== undefined) return known === 'under way' ? nothing() : known
    sizes.set(selections, 'under way')
    const size = nothing()
    for (const selection of selections.selections) {
      size.directives += selection.directives?.length ?? 0
      if (selection.kind === Kind.FIELD)
        addField(size, selection, selection.selectionSet && measure(selection.selectionSet))
      else {
        const inner = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value)
        addSelection(size, inner ? measure(inner.selectionSet) : nothing())
      }
    }
    sizes.set(selections, size)
    return size
  }
  return measure
}

function nothing(): Size {
  return { fields: 0, aliases: 0, directives: 0, repeats: 0, names: new Map(), top: 0, depth: 0, introspectionDepth: 0 }
}

/** By the name of the field, never by that of a fragment or an alias: those the caller chooses. */
function addField(size: Size, field: FieldNode, inner: Size = nothing()): void {
  const introspects = field.name.value === '__schema' || field.name.value === '__type'
  size.fields += 1 + inner.fields
  size.aliases += (field.alias ? 1 : 0) + inner.aliases
  size.directives += inner.directives
  size.top += 1
  // Fields of one name are one in the answer: what is below the first is then beside what is below the second.
  addName(size, field.alias?.value ?? field.name.value, Math.max(1, inner.repeats))
  if (introspects) {
    size.introspectionDepth = Math.max(size.introspectionDepth, 1 + inner.depth, 1 + inner.introspectionDepth)
    return
  }
  size.depth = Math.max(size.depth, 1 + inner.depth)
  if (inner.introspectionDepth > 0)
    size.introspectionDepth = Math.max(size.introspectionDepth, 1 + inner.introspectionDepth)
}

function addSelection(size: Size, inner: Size): void {
  size.fields += 1 + inner.fields
  size.aliases += inner.aliases
  size.directives += inner.directives
  size.top += inner.top
  for (const [name, count] of inner.names) addName(size, name, count)
  size.depth = Math.max(size.depth, inner.depth)
  size.introspectionDepth = Math.max(size.introspectionDepth, inner.introspectionDepth)
}

function addName(size: Size, name: string, count: number): void {
  const repeats = (size.names.get(name) ?? 0) + count
  size.names.set(name, repeats)
  size.repeats = Math.max(size.repeats, repeats)
}
