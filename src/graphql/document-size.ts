import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionSetNode,
  visit,
} from 'graphql'

/** How large a document is. Fields and aliases count at each place where a fragment is spread. */
export interface DocumentSize {
  operations: number
  fragments: number
  /** Variables of the operation that has most. */
  variables: number
  directives: number
  /** Arguments, and the values within them. */
  values: number
  /** The deepest nesting of selections, lists and objects. */
  brackets: number
  fields: number
  aliases: number
  /** The most fields of one response name in a selection: validation compares each with each. */
  repeats: number
  rootFields: number
  /** The longest path of fields; what is below `__schema` and `__type` is counted apart. */
  depth: number
  introspectionDepth: number
}

/** Measures a document without validating it. The work grows with the document, however its fragments multiply. */
export function sizeOf(document: DocumentNode): DocumentSize {
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
  const fragments = document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
  const measure = createMeasure(new Map(fragments.map((fragment) => [fragment.name.value, fragment])))
  const run = operations.map(({ selectionSet }) => measure(selectionSet))
  // Validation visits all definitions, also those that no operation uses.
  const all = [...run, ...fragments.map(({ selectionSet }) => measure(selectionSet))]
  return {
    operations: operations.length,
    fragments: document.definitions.length - operations.length,
    variables: largest(operations, ({ variableDefinitions = [] }) => variableDefinitions.length),
    ...countNodes(document),
    fields: largest(all, ({ fields }) => fields),
    aliases: largest(all, ({ aliases }) => aliases),
    repeats: largest(all, ({ names }) => Math.max(0, ...names.values())),
    rootFields: largest(run, ({ rootFields }) => rootFields),
    depth: largest(run, ({ depth }) => depth),
    introspectionDepth: largest(run, ({ introspectionDepth }) => introspectionDepth),
  }
}

function largest<T>(items: readonly T[], sizeOfItem: (item: T) => number): number {
  return Math.max(0, ...items.map(sizeOfItem))
}

const brackets = new Set<string>([Kind.SELECTION_SET, Kind.LIST, Kind.OBJECT, Kind.LIST_TYPE])
const values = /^(Argument|ObjectField|Variable|.+Value)$/

/** Counts nodes as they are written, without following fragments. */
function countNodes(document: DocumentNode): Pick<DocumentSize, 'directives' | 'values' | 'brackets'> {
  const counts = { directives: 0, values: 0, brackets: 0 }
  let level = 0
  visit(document, {
    enter: ({ kind }) => {
      if (kind === Kind.DIRECTIVE) counts.directives++
      else if (values.test(kind)) counts.values++
      if (brackets.has(kind)) counts.brackets = Math.max(counts.brackets, ++level)
    },
    leave: ({ kind }) => {
      if (brackets.has(kind)) level--
    },
  })
  return counts
}

interface SelectionSize
  extends Pick<DocumentSize, 'fields' | 'aliases' | 'rootFields' | 'depth' | 'introspectionDepth'> {
  /** How often the selection has each response name. */
  names: Map<string, number>
}

function createMeasure(
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): (selections: SelectionSetNode) => SelectionSize {
  const measured = new Map<SelectionSetNode, SelectionSize>()
  const measure = (selections: SelectionSetNode): SelectionSize => {
    const known = measured.get(selections)
    if (known) return known
    const size = empty()
    // A fragment that spreads itself counts once: validation refuses the document.
    measured.set(selections, empty())
    for (const selection of selections.selections) {
      if (selection.kind === Kind.FIELD) {
        addField(size, selection, selection.selectionSet ? measure(selection.selectionSet) : empty())
      } else {
        const inner = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value)
        addFragment(size, inner ? measure(inner.selectionSet) : empty())
      }
    }
    measured.set(selections, size)
    return size
  }
  return measure
}

function empty(): SelectionSize {
  return { fields: 0, aliases: 0, rootFields: 0, depth: 0, introspectionDepth: 0, names: new Map() }
}

/** By the name of the field, never by that of a fragment or an alias, which the caller chooses. */
function addField(size: SelectionSize, { name, alias }: FieldNode, inner: SelectionSize): void {
  const introspects = name.value === '__schema' || name.value === '__type'
  size.fields += 1 + inner.fields
  size.aliases += (alias ? 1 : 0) + inner.aliases
  size.rootFields++
  // Fields of one response name are merged: what is below the first is compared with what is below the second.
  addName(size, (alias ?? name).value, Math.max(1, ...inner.names.values()))
  if (!introspects) size.depth = Math.max(size.depth, 1 + inner.depth)
  const introspected = introspects ? 1 + Math.max(inner.depth, inner.introspectionDepth) : inner.introspectionDepth
  size.introspectionDepth = Math.max(size.introspectionDepth, introspected)
}

function addFragment(size: SelectionSize, inner: SelectionSize): void {
  size.fields += 1 + inner.fields
  size.aliases += inner.aliases
  size.rootFields += inner.rootFields
  for (const [name, count] of inner.names) addName(size, name, count)
  size.depth = Math.max(size.depth, inner.depth)
  size.introspectionDepth = Math.max(size.introspectionDepth, inner.introspectionDepth)
}

function addName({ names }: SelectionSize, name: string, count: number): void {
  names.set(name, (names.get(name) ?? 0) + count)
}
