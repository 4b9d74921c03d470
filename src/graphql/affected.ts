import { CatalogueError, invalidRequest } from '../errors.ts'
import type { Context } from './context.ts'

/** Throws `too_many_affected`, within the transaction, if the caller allows less. */
export function requireFewAffected(count: number, { affected }: Context): void {
  if (!affected) return
  affected.count = count
  if (count <= affected.atMost) return
  const details = `the write may change at most ${affected.atMost} (max-affected); it would change ${count}, and nothing was changed`
  throw new CatalogueError('too_many_affected', [{ details, field: 'Prefer' }])
}

/** Throws `invalid_request` if the caller limits the changes of what runs later. `advice`: what else to do. */
export function requireNoLimit({ affected }: Context, what: string, advice: string): void {
  if (!affected) return
  const details = `max-affected cannot be checked before ${what} has run: leave it out${advice}`
  throw invalidRequest([{ details, field: 'Prefer' }])
}
