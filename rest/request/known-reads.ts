import { LRUCache } from 'lru-cache'

/** What a read without faults asks for. Frozen: requests share it. */
export interface KnownRead {
  variables: Record<string, unknown>
  query: Record<string, unknown>
  warning: string | undefined
}

const maxKnown = 1_000
const maxCharacters = 500

/** By the shapes that the reads were checked against: other enumerations have other shapes. */
const byShapes = new WeakMap<object, LRUCache<string, KnownRead>>()

/** A read that was asked for before, by its path and query. */
export function knownRead(shapes: object, target: string): KnownRead | undefined {
  return byShapes.get(shapes)?.get(target)
}

export function keepRead(shapes: object, target: string, { variables, query, warning }: KnownRead): void {
  if (target.length > maxCharacters) return
  const known = byShapes.get(shapes) ?? new LRUCache<string, KnownRead>({ max: maxKnown })
  byShapes.set(shapes, known)
  known.set(target, { variables: Object.freeze(variables), query: Object.freeze(query), warning })
}
