import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionSetNode,
  visit,
} from 'graphql'

/** What is measured, as an error names it. Fields and aliases count at each place where a fragment is spread. */
export const measures = {
  brackets: 'levels of brackets',
  operations: 'operations',
  fragments: 'fragments',
  fields: 'fields and fragment spreads, counted at each place',
  aliases: 'aliases',
  directives: 'directives',
  /** Of one response name: validation compares each with each. */
  repeats: 'fields of one name in a selection',
  rootFields: 'root fields',
  /** The longest path of fields; what is below `__schema` and `__type` is counted apart. */
  depth: 'levels of fields',
  introspectionDepth: 'levels of introspection',
}

export type DocumentSize = Record<keyof typeof measures, number>

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
    ...countNodes(document),
    fields: Math.max(0, ...all.map(({ fields }) => fields)),
    aliases: Math.max(0, ...all.map(({ aliases }) => aliases)),
    repeats: Math.max(0, ...all.flatMap(({ names }) => [...names.values()])),
    rootFields: Math.max(0, ...run.map(({ rootFields }) => rootFields)),
    depth: Math.max(0, ...run.map(({ depth }) => depth)),
    introspectionDepth: Math.max(0, ...run.map(({ introspectionDepth }) => introspectionDepth)),
  }
}

const brackets = new Set<string>([Kind.SELECTION_SET, Kind.LIST, Kind.OBJECT, Kind.LIST_TYPE])

/** Counts nodes as they are written, without following fragments. */
function countNodes(document: DocumentNode): Pick<DocumentSize, 'directives' | 'brackets'> {
  const counts = { directives: 0, brackets: 0 }
  let level = 0
  visit(document, {
    enter: ({ kind }) => {
      if (kind === Kind.DIRECTIVE) counts.directives++
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
  names: Map<string, number>
}

function createMeasure(fragments: ReadonlyMap<string, FragmentDefinitionNode>) {
  const measured = new Map<SelectionSetNode, SelectionSize>()
  const measure = (selections: SelectionSetNode): SelectionSize => {
    const known = measured.get(selections)
    if (known) return known
    const size = empty()
    // A fragment that spreads itself counts once: validation refuses the document.
    measured.set(selections, empty())
    for (const selection of selections.selections) {
      const field = selection.kind === Kind.FIELD ? selection : undefined
      const spread = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection
      const inner = spread?.selectionSet ? measure(spread.selectionSet) : empty()
      add(size, field ? sizeOfField(field, inner) : inner)
    }
    measured.set(selections, size)
    return size
  }
  return measure
}

function empty(): SelectionSize {
  return { fields: 0, aliases: 0, rootFields: 0, depth: 0, introspectionDepth: 0, names: new Map() }
}

/** What a field adds to its selection. Goes by its name: the caller chooses those of fragments and aliases. */
function sizeOfField({ name, alias }: FieldNode, inner: SelectionSize): SelectionSize {
  const introspects = name.value === '__schema' || name.value === '__type'
  return {
    fields: inner.fields,
    aliases: (alias ? 1 : 0) + inner.aliases,
    rootFields: 1,
    // Fields of one response name are merged: what is below the first is compared with what is below the second.
    names: new Map([[(alias ?? name).value, Math.max(1, ...inner.names.values())]]),
    depth: introspects ? 0 : 1 + inner.depth,
    introspectionDepth: introspects ? 1 + Math.max(inner.depth, inner.introspectionDepth) : inner.introspectionDepth,
  }
}

/** A field and the spread of a fragment count as one each. */
function add(size: SelectionSize, inner: SelectionSize): void {
  size.fields += 1 + inner.fields
  size.aliases += inner.aliases
  size.rootFields += inner.rootFields
  for (const [name, count] of inner.names) size.names.set(name, (size.names.get(name) ?? 0) + count)
  size.depth = Math.max(size.depth, inner.depth)
  size.introspectionDepth = Math.max(size.introspectionDepth, inner.introspectionDepth)
}
