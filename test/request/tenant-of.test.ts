import { describe, expect, it } from 'vitest'
import { tenantOf } from '../../src/request/caller.ts'

const tenantOfToken = (tokenId: string, stores?: string[]) =>
  tenantOf({ tokenId, tokenName: tokenId, scopes: new Set(), viewer: { stores: stores && new Set(stores) } })

describe('the tenant of a caller', () => {
  it('is that of its stores, in any order, whatever its token', () => {
    expect(tenantOfToken('1', ['a', 'b'])).toBe(tenantOfToken('2', ['b', 'a']))
  })

  it.each([
    ['of other stores', tenantOfToken('1', ['a'])],
    ['without a store', tenantOfToken('1', [])],
    ['of all stores', tenantOfToken('1')],
    ['of all stores and another token', tenantOfToken('2')],
    ['of all stores whose token is named as the stores are', tenantOfToken('a,b')],
    ['without a caller', ''],
  ])('is another one than that %s', (_, other) => {
    expect(tenantOfToken('1', ['a', 'b'])).not.toBe(other)
  })

  it('is its own for a token of all stores', () => {
    expect(tenantOfToken('1')).not.toBe(tenantOfToken('2'))
    expect(tenantOfToken('1')).toBe(tenantOfToken('1'))
  })
})
