import { CatalogueError } from '../errors.ts'
import { isObject } from '../text.ts'
import type { Context } from './context.ts'

/** What the results of writes call what they have changed: lists, counts, or an object of counts. */
const counts = 'createdSkus updatedSkus deletedSkus created updated added linked removed reverted'.split(' ')

/** How much a result says that a write has changed; a result without counts is one thing. */
export function affectedBy(result: unknown): number {
  if (!isObject(result)) return result === null ? 0 : 1
  const named = counts.filter((name) => name in result)
  return named.length === 0
    ? 1
    : named.reduce((sum, name) => sum + sizeOf((result as Record<string, unknown>)[name]), 0)
}

function sizeOf(count: unknown): number {
  if (Array.isArray(count)) return count.length
  if (isObject(count)) return Object.values(count).reduce<number>((sum, one) => sum + sizeOf(one), 0)
  return Number(count)
}

/** Throws `too_many_affected`, within the transaction, if the caller allows less. */
export function requireFewAffected(count: number, { affected }: Context): void {
  if (!affected) return
  affected.count = count
  if (count <= affected.atMost) return
  const details = `the write may change at most ${affected.atMost} (max-affected); it would change ${count}, and nothing was changed`
  throw new CatalogueError('too_many_affected', [{ details, field: 'Prefer' }])
}
