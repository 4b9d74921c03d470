import { type DocumentNode, type GraphQLSchema, TypeInfo, visit, visitWithTypeInfo } from 'graphql'
import { workToCompile } from '../catalogue/attributes/pattern-work.ts'
import { workToMatch } from '../catalogue/attributes/store-patterns.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { storeUuidOf } from '../text.ts'

/** What a field does with the patterns of attributes, in its extensions. A store that it writes is an argument. */
interface FieldPatterns {
  patterns?: 'compiles' | 'matches' | 'matches stored values'
}

/** What the fields of a document do with patterns, all together. */
export interface PatternUse {
  uses: ReadonlySet<FieldPatterns['patterns']>
  /** The strings of the document. */
  texts: readonly string[]
  /** How often a variable is used at most: each use is a copy of its value. */
  copies: number
}

export function patternUseOf(schema: GraphQLSchema, document: DocumentNode): PatternUse {
  const types = new TypeInfo(schema)
  const uses = new Set<FieldPatterns['patterns']>()
  const texts: string[] = []
  const variables = new Map<string, number>()
  const visitor = {
    Field: () => {
      const { patterns }: FieldPatterns = types.getFieldDef()?.extensions ?? {}
      if (patterns) uses.add(patterns)
    },
    StringValue: ({ value }: { value: string }) => {
      texts.push(value)
    },
    Variable: ({ name }: { name: { value: string } }) => {
      variables.set(name.value, (variables.get(name.value) ?? -1) + 1)
    },
  }
  visit(document, visitWithTypeInfo(types, visitor))
  return { uses, texts, copies: Math.max(1, ...variables.values()) }
}

/** The most work that patterns can be for an operation with a body of so many bytes, before anything of it is run. */
export async function patternWorkOf(
  { uses, texts, copies }: PatternUse,
  variables: Record<string, unknown>,
  bytes: number,
  catalogue: Catalogue,
): Promise<number> {
  if (uses.has('matches stored values')) return Number.POSITIVE_INFINITY
  const compiling = uses.has('compiles') ? workToCompile(texts) + copies * workToCompile(textsIn(variables)) : 0
  if (!uses.has('matches')) return compiling
  const given = Object.values(variables).filter((value) => typeof value === 'string')
  const stores = new Set([...texts, ...given].flatMap((text) => storeUuidOf(text) ?? []))
  const characters = copies * bytes + texts.reduce((sum, { length }) => sum + length, 0)
  return compiling + (await workToMatch(catalogue, [...stores], characters))
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
