import { isDeepStrictEqual } from 'node:util'

/** Something that the file has and the store has not, or the reverse, or that differs. */
export interface Difference {
  action: 'add' | 'change' | 'remove'
  kind: 'attribute' | 'requirement' | 'token' | 'webhook'
  name: string
  before?: unknown
  after?: unknown
}

/** What only one of two lists has by name, or what differs. */
export function compare<T>(
  kind: Difference['kind'],
  now: readonly T[],
  wanted: readonly T[],
  nameOf: (one: T) => string,
): Difference[] {
  const [before, after] = [now, wanted].map((list) => new Map(list.map((one) => [nameOf(one), one])))
  const names = [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])]
  return names.flatMap((name): Difference[] => {
    const values = { before: before?.get(name), after: after?.get(name) }
    if (isDeepStrictEqual(values.before, values.after)) return []
    const action = values.before === undefined ? 'add' : values.after === undefined ? 'remove' : 'change'
    return [{ action, kind, name, ...values }]
  })
}

/** What only one of two lists has, where names may repeat: each item takes an equal one from the other list. */
export function unmatched<Present, Wanted>(
  present: readonly Present[],
  wanted: readonly Wanted[],
  inFile: (one: Present) => Wanted,
) {
  const added = [...wanted]
  const removed = present.filter((one) => {
    const place = added.findIndex((other) => isDeepStrictEqual(other, inFile(one)))
    if (place >= 0) added.splice(place, 1)
    return place < 0
  })
  return { removed, added }
}
