import type { Transaction } from 'kysely'
import { toHttpError } from '../../../rest/translate.ts'
import { type Catalogue, catalogueFor, type Origin } from '../../catalogue/catalogue.ts'
import { createProjectionWait } from '../../catalogue/projections/wait-for-projections.ts'
import type { Replica } from '../../database/replicas/replica-first.ts'
import type { Database } from '../../database/tables.ts'
import { createPoolRule } from '../../event-loop/pool-rule.ts'
import { type Context, createContext, type EventSources } from '../../graphql/context.ts'
import type { Engine } from '../../graphql/engine.ts'
import { publicError } from '../../graphql/public-error.ts'
import type { Caller } from '../../request/caller.ts'
import { HttpError } from '../../request/http-error.ts'
import type { Staleness } from '../../request/preferences.ts'
import type { ApiOptions } from '../gateway-options.ts'

/** How an operation runs. */
export interface RunOptions {
  transaction?: Transaction<Database> | undefined
  replica?: Replica | undefined
  maxAffected?: number | undefined
  /** Of a subscription. */
  eventSources?: EventSources | undefined
  /** Whether reads wait until what is derived from products includes all that was committed before. */
  isLatest?: boolean | undefined
}

export type ApiParts = ReturnType<typeof createApiParts>

/** What both APIs use, with the options. */
export function createApiParts(engine: Engine, options: ApiOptions) {
  const { db, replicas, enumerations, filterService, onJobQueued, jobQuotas, outgoingAllow, log } = options
  const recordsChanges = options.changesRetention > 0
  const catalogueOf = (caller: Caller, { transaction, replica, isLatest }: RunOptions): Catalogue => {
    const patterns = { runHeavy: options.runPatterns, work: 0 }
    const catalogue = catalogueFor(transaction ?? db, caller.viewer, patterns, replica)
    return isLatest ? { ...catalogue, waitForProjections: createProjectionWait(catalogue) } : catalogue
  }
  return {
    ...options,
    engine,
    recordsChanges,
    poolRule: createPoolRule(options.mainThreadLimits),
    catalogueOf,
    contextOf: (via: Origin['via'], caller: Caller, requestId: string, run: RunOptions): Context =>
      createContext({
        catalogue: catalogueOf(caller, run),
        enumerations: enumerations(),
        caller,
        origin: recordsChanges ? { requestId, tokenId: caller.tokenId, actor: caller.tokenName, via } : undefined,
        eventSources: run.eventSources,
        filterService,
        onJobQueued,
        jobQuotas,
        outgoingAllow,
        affected: run.maxAffected === undefined ? undefined : { atMost: run.maxAffected, count: 0 },
      }),
    chooseReplica: async ({ maxMs, after, isLatest }: Staleness, caller: Caller) =>
      isLatest ? undefined : replicas?.choose({ maxMs: maxMs ?? caller.staleMs ?? 0, after }),
    errorOf: (thrown: unknown, requestId: string): HttpError =>
      thrown instanceof HttpError ? thrown : toHttpError([publicError(thrown, log.child({ requestId }))]),
  }
}
