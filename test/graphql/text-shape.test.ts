import fc from 'fast-check'
import { getIntrospectionQuery, Lexer, parse, Source, TokenKind } from 'graphql'
import { expect, it } from 'vitest'
import { shapeOf } from '../../src/graphql/document-shape.ts'
import { shapeOfText, type TextShape } from '../../src/graphql/text-shape.ts'
import { documents } from '../fuzz/graphql-documents.ts'
import { operations } from '../fuzz/graphql-operations.ts'

const seed = Number(process.env.TEXT_SHAPE_SEED ?? 20_261_121)
const endless = { characters: Infinity, tokens: Infinity, brackets: Infinity }
const known = [
  ...operations({ stores: [], codes: [], assetIds: [] } as never).map(({ query }) => query),
  getIntrospectionQuery(),
]

/** What GraphQL's own lexer says. */
function countTokens(document: string): number {
  const lexer = new Lexer(new Source(document))
  let tokens = 0
  while (lexer.advance().kind !== TokenKind.EOF) tokens++
  return tokens
}

function parsed(document: string) {
  try {
    return parse(document)
  } catch {
    return undefined
  }
}

function expectTrue(query: string): void {
  const document = parsed(query)
  if (!document) return
  const [text, shape] = [shapeOfText(query, endless), shapeOf(document)]
  expect(text.tokens, query).toBe(countTokens(query))
  for (const [name, size] of Object.entries(shape)) {
    const counted = text[name as keyof TextShape]
    if (counted !== undefined) expect(counted, `${name} of ${query}`).toBeLessThanOrEqual(size as number)
  }
}

it('says of a text what the parser says of it, and never more', () => {
  for (const query of known) expectTrue(query)
  const { fragments, fields, aliases, directives, rootFields, operations, variables } = shapeOfText(
    `query Q($a: Int = 1 @d, $b: [Int!]) @d { x: stores(first: $a, filter: { search: "{" }) { ... on C @d { on: totalCount } ...F @on(x: 1) } y }
    fragment F on C { fields a b c }`,
    endless,
  )
  expect({ fragments, fields, aliases, directives, rootFields, operations, variables }).toEqual({
    ...{ fragments: 1, fields: 5, aliases: 2, directives: 4, rootFields: 2, operations: 1, variables: 2 },
  })
})

it(`also of changed documents (seed ${seed})`, () => {
  const changed = fc.constantFrom(...known).chain((query) => documents(query))
  fc.assert(fc.property(changed, expectTrue as (query: unknown) => void), { numRuns: 2_000, seed })
})
