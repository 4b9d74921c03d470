import { describe, expect, it } from 'vitest'
import { shapeOfJson } from '../../src/request/json-shape.ts'

const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`name ${i}`, '']))
const isTooComplex = (value: unknown) =>
  shapeOfJson(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))).excess !== undefined

describe('JSON that is too complex', () => {
  it('has a list or an object of more than 20,000 members somewhere', () => {
    expect(isTooComplex([members(20_000)])).toBe(false)
    expect(isTooComplex([members(20_001)])).toBe(true)
    expect(isTooComplex({ a: { b: Array.from({ length: 20_001 }, () => 0) } })).toBe(true)
    expect(isTooComplex(Array.from({ length: 10 }, () => members(5_000)))).toBe(false)
  })

  it('has lists and objects of more than 600,000 members together', () => {
    const lists = (count: number) => Array.from({ length: count }, () => Array.from({ length: 20_000 }, () => ''))
    expect(isTooComplex(lists(29))).toBe(false)
    expect(isTooComplex(lists(31))).toBe(true)
    expect(isTooComplex('[[],'.repeat(10) + '[],'.repeat(600_000))).toBe(true)
  })

  it('nests more than 64 levels deep', () => {
    expect(isTooComplex(`${'['.repeat(64)}${']'.repeat(64)}`)).toBe(false)
    expect(isTooComplex(`${'['.repeat(65)}${']'.repeat(65)}`)).toBe(true)
    expect(isTooComplex('{"a":[]},'.repeat(100))).toBe(false)
  })

  it('is not affected by the characters in its strings', () => {
    const signs = ',[{"\\'.repeat(30_000)
    expect(isTooComplex([signs, { [signs]: signs }])).toBe(false)
    expect(isTooComplex(`"${'x'.repeat(30_000)}`)).toBe(false)
    expect(isTooComplex(`"\\\\"${',1'.repeat(20_001)}`)).toBe(true)
  })
})
