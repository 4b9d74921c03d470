import { describe, expect, it } from 'vitest'
import type { Change } from '../../src/catalogue/changes/change.ts'
import { type EventFilter, matching, requireEventFilter } from '../../src/live/event-filter.ts'
import { change } from './support/change.ts'

const updated = change('product.updated', [
  ['A1', 'Color'],
  ['A1', 'Size'],
  ['A2', 'status'],
  ['B1', 'Color'],
])
const linked = change('link.created', [
  ['A1', '["SMP","1"]'],
  ['A1', '["web","1"]'],
  ['A1', '["SMP","2"]'],
])

/** The items that match, as `code key`, and their count. */
function matched(given: Change, filter: EventFilter) {
  const found = matching(given, filter)
  return found && [found.count, ...found.codes.map((code, i) => [code, found.keys[i]].filter(Boolean).join(' '))]
}

describe('an event filter', () => {
  it('without conditions matches every change, and returns the same object', () => {
    expect(matching(updated, {})).toBe(updated)
    expect(matching(updated, { codePrefix: '', attributes: null, types: ['product.updated'] })).toBe(updated)
  })

  it.each<[string, Change, EventFilter, ReturnType<typeof matched>]>([
    ['by another type', updated, { types: ['link.created'] }, undefined],
    ['by another operation', updated, { operations: ['import'] }, undefined],
    ['by one of its operations', linked, { operations: ['import', 'updateProducts'], codePrefix: 'B' }, undefined],
    ['of products by attribute', updated, { attributes: ['Color'] }, [2, 'A1 Color', 'B1 Color']],
    ['of products by status', updated, { attributes: ['status'] }, [1, 'A2 status']],
    ['of products by prefix', updated, { codePrefix: 'A' }, [2, 'A1 Color', 'A1 Size', 'A2 status']],
    ['by all conditions together', updated, { codePrefix: 'B', attributes: ['Color'] }, [1, 'B1 Color']],
    ['of products without a channel', updated, { channels: ['SMP'] }, undefined],
    ['of links by channel', linked, { channels: ['SMP'] }, [2, 'A1 ["SMP","1"]', 'A1 ["SMP","2"]']],
    ['of links, which have no attributes', linked, { attributes: ['Color'] }, undefined],
    ['of created products', change('product.created', [['A', null]]), { attributes: ['Color'] }, [1, 'A']],
    ['of deleted products', change('product.deleted', [['A', null]]), { attributes: ['Color'] }, [1, 'A']],
    ['of definitions', change('definition.deleted', [['Color', null]]), { attributes: ['Color'] }, [1, 'Color']],
    ['of requirements', change('requirement.updated', [['SMP', null]]), { channels: ['SMP'] }, [1, 'SMP']],
  ])('matches the items %s', (_title, given, filter, expected) => {
    expect(matched(given, filter)).toEqual(expected)
  })

  it.each<[EventFilter, string]>([
    [{ types: ['product.moved'] }, 'types must be of product.created'],
    [{ operations: [''] }, 'operations must have names of 1 to 255 characters; got ""'],
    [{ channels: Array.from({ length: 101 }, () => 'SMP') }, 'channels must have at most 100 items; got 101'],
    [{ codePrefix: 'x'.repeat(256) }, 'codePrefix must have 1 to 255 characters; got a text of 256 characters'],
  ])('%j is refused with its fault', (filter, details) => {
    expect(() => requireEventFilter(filter)).toThrow(details)
    expect(() => requireEventFilter(filter, 'filter.')).toThrow(`filter.${details}`)
  })
})
