import { getIntrospectionQuery, parse } from 'graphql'
import { expect, it } from 'vitest'
import { sizeOf } from '../../src/graphql/limits/document-size.ts'

it('counts what a document has, fields and aliases at each place where a fragment is spread', () => {
  const document = parse(`
    query Q($a: Int = 1 @d, $b: [Int!]) @d {
      x: stores(first: $a, filter: { search: "{", tags: [[1, 2]] }) { ... on C @d { on: totalCount } ...F @on(x: 1) }
      y
      ...G
    }
    query R { y y }
    fragment F on C { fields a: b c b }
    fragment G on Query { z { ...F } }`)
  expect(sizeOf(document)).toEqual({
    operations: 2,
    fragments: 2,
    directives: 4,
    brackets: 4,
    fields: 16,
    aliases: 4,
    repeats: 2,
    rootFields: 3,
    depth: 2,
    introspectionDepth: 0,
  })
})

it('counts the levels below __schema and __type apart, whatever an alias or a fragment is called', () => {
  const depths = (query: string) => {
    const { depth, introspectionDepth } = sizeOf(parse(query))
    return [depth, introspectionDepth]
  }
  expect(depths(getIntrospectionQuery())).toEqual([0, 15])
  expect(depths('{ a { b } ...F } fragment F on Query { s: __schema { types { name } } }')).toEqual([2, 3])
  expect(depths('{ __schema: a { b { c } } ...__type } fragment __type on Query { d }')).toEqual([3, 0])
})

it('measures fragments that double, or spread themselves, in work that grows with the text', () => {
  const doubling = Array.from({ length: 50 }, (_, i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`)
  const { fields } = sizeOf(parse(`{ ...F0 } ${doubling.join(' ')} fragment F50 on Query { a }`))
  expect(fields).toBeGreaterThan(2 ** 50)
  expect(sizeOf(parse('{ ...F } fragment F on Query { a { ...F } }')).depth).toBe(1)
})
