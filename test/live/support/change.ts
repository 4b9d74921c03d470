import type { Change } from '../../../src/catalogue/changes/change.ts'

type Items = [code: string, key: string | null][]

/** A change of a type such as `product.updated`. */
export function change(type: string, items: Items, given: Partial<Change> = {}): Change {
  const [kind, action] = type.split('.') as [Change['kind'], Change['action']]
  const [codes, keys] = [items.map(([code]) => code), items.map(([, key]) => key)]
  const numbers = {
    tx: '7',
    seq: '1',
    cursor: 'c',
    at: new Date(0),
    count: new Set(codes).size,
    failed: 1,
    reverts: null,
  }
  const origin = { requestId: 'r', actor: 'a', via: 'rest', operation: 'updateProducts' } as const
  return { storeUuid: 's', ...numbers, ...origin, kind, action, codes, keys, ...given }
}
