import type { FilterService } from '../catalogue/asset-groups/list-groups.ts'
import type { Catalogue, Origin } from '../catalogue/catalogue.ts'
import type { Change } from '../catalogue/changes/change.ts'
import type { Enumerations } from '../catalogue/enumerations.ts'
import { CatalogueError, changesDisabled, invalidRequest } from '../errors.ts'
import type { Job } from '../jobs/job.ts'
import type { JobQuotas } from '../jobs/quotas.ts'
import type { Caller } from '../request/caller.ts'
import { createLoaders, type Loaders } from './loaders.ts'

/** What subscriptions read their events from. */
export interface EventSources {
  /** Throws `invalid_request`, `store_not_found`, `cursor_expired`. */
  changes(storeUuid: string, after: string | null | undefined, filter: object): Promise<AsyncIterable<Change>>
  /** The job now, and whenever it has changed, until its end. */
  job(jobId: string): AsyncIterable<Job | null>
}

/** The context of resolvers; one per request, or event of a subscription. */
export interface Context {
  readonly catalogue: Catalogue
  readonly caller: Caller
  /** The author of recorded changes; undefined: changes are not recorded. */
  readonly origin: Omit<Origin, 'operation'> | undefined
  /** The enumerations in force when the request began. */
  readonly enumerations: Enumerations
  /** Chooses the groups of a listing; undefined: the gateway does. */
  readonly filterService: FilterService | undefined
  readonly loaders: Loaders
  /** Tells the runner that a job is queued. */
  onJobQueued(): void
  readonly jobQuotas: JobQuotas
  /** What OUTGOING_ALLOW has. */
  readonly outgoingAllow: readonly string[]
  /** The limit on what the mutation may change, and how much it has changed; undefined: no limit. */
  readonly affected?: { readonly atMost: number; count: number } | undefined
  /** Only in a subscription. */
  readonly eventSources?: EventSources | undefined
  /** An upper bound of the answer's length: the results of the writes so far. */
  readonly answer: { bytes: number }
}

export function createContext(request: Omit<Context, 'loaders' | 'answer'>): Context {
  return { ...request, answer: { bytes: 0 }, loaders: createLoaders(request.catalogue, request.filterService) }
}

/** Throws `changes_disabled` if the service records no changes. */
export function requireLedger({ origin }: Context): void {
  if (!origin) throw changesDisabled()
}

/** Throws `too_many_affected`, within the transaction, if the caller allows less. */
export function requireFewAffected(count: number, { affected }: Context): void {
  if (!affected) return
  affected.count = count
  if (count <= affected.atMost) return
  const details = `the write may change at most ${affected.atMost} (max-affected); it would change ${count}, and nothing was changed`
  throw new CatalogueError('too_many_affected', [{ details, field: 'Prefer' }])
}

/** Throws `invalid_request` if the caller limits the changes of what runs later. `advice`: what else to do. */
export function requireNoLimit(maxAffected: number | undefined, what: string, advice: string): void {
  if (maxAffected === undefined) return
  const details = `max-affected cannot be checked before ${what} has run: leave it out${advice}`
  throw invalidRequest([{ details, field: 'Prefer' }])
}

export function eventSourcesOf({ eventSources }: Context): EventSources {
  if (!eventSources) throw new Error('only a subscription has sources of events')
  return eventSources
}
