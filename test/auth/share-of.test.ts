import { describe, expect, it } from 'vitest'
import { shareOf } from '../../src/auth/caller.ts'

const shareOfToken = (tokenId: string, stores?: string[]) =>
  shareOf({ tokenId, tokenName: tokenId, scopes: new Set(), viewer: { stores: stores && new Set(stores) } })

describe('the share of a caller', () => {
  it('is that of its stores, in any order, whatever its token', () => {
    expect(shareOfToken('1', ['a', 'b'])).toBe(shareOfToken('2', ['b', 'a']))
  })

  it.each([
    ['of other stores', shareOfToken('1', ['a'])],
    ['without a store', shareOfToken('1', [])],
    ['of all stores', shareOfToken('1')],
    ['of all stores and another token', shareOfToken('2')],
    ['of all stores whose token is named as the stores are', shareOfToken('a,b')],
    ['without a caller', ''],
  ])('is another one than that %s', (_, other) => {
    expect(shareOfToken('1', ['a', 'b'])).not.toBe(other)
  })

  it('is its own for a token of all stores', () => {
    expect(shareOfToken('1')).not.toBe(shareOfToken('2'))
    expect(shareOfToken('1')).toBe(shareOfToken('1'))
  })
})
