import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Logger } from 'pino'
import { connect } from '../../database/connection/connect.ts'
import type { ConnectionConfig } from '../../database/connection/session.ts'
import type { Database } from '../../database/tables.ts'
import { messageOf } from '../../errors.ts'
import { RequestPatterns } from '../attributes/request-patterns.ts'
import { type Catalogue, wholeCatalogue } from '../catalogue.ts'
import { measureHourly } from '../rows/measures.ts'
import { followStore } from './follow-store.ts'

const pollMs = 1_000
const pauseAfterFailureMs = 5_000
/** The reader takes no connections from requests. */
const ownConnections = { application_name: 'catalogue-gateway-reader', max: 2, maxPerTenant: 2 }
/** How long a shutdown waits for the running step. Another process repeats a step that was cut off. */
const stopWithinMs = 500

type RunHeavy = ConstructorParameters<typeof RequestPatterns>[0]

/**
 * In the background, counts readiness from the ledger of all stores that have requirements, by one statement a second
 * while nothing changes, and stores the measures of all stores once an hour. Several processes may run it at a time.
 * Returns the function that ends it.
 */
export function startReader(db: Kysely<Database>, runHeavy: RunHeavy, log: Logger): () => Promise<void> {
  const catalogue: Catalogue = { ...wholeCatalogue(db), patterns: new RequestPatterns(runHeavy) }
  const stopping = new AbortController()
  const { signal } = stopping
  const warn = (error: unknown) => {
    if (!signal.aborted) log.warn({ reason: messageOf(error) }, 'readiness')
  }
  const running = Promise.allSettled([run(catalogue, signal, warn), measureHourly(catalogue, signal, warn)])
  return async () => {
    stopping.abort()
    await Promise.race([running, sleep(stopWithinMs, undefined, { ref: false })])
  }
}

/** The same on separate connections. */
export function startOwnReader(connection: ConnectionConfig, runHeavy: RunHeavy, log: Logger): () => Promise<void> {
  const db = connect({ ...connection, ...ownConnections }, () => {})
  const stop = startReader(db, runHeavy, log)
  return async () => {
    await stop()
    await db.destroy()
  }
}

async function run(catalogue: Catalogue, signal: AbortSignal, warn: (error: unknown) => void): Promise<void> {
  let day = -1
  let pauseMs = pollMs
  const fail = (error: unknown) => {
    warn(error)
    pauseMs = pauseAfterFailureMs
  }
  while (!signal.aborted) {
    await sleep(pauseMs, undefined, { ref: false, signal })
    pauseMs = pollMs
    const today = new Date().getUTCDate()
    try {
      await followAll(catalogue, today !== day, signal, fail)
      day = today
    } catch (error) {
      fail(error)
    }
  }
}

/** Follows each store with unread changes, on a new day all stores, until no store has more or one fails. */
async function followAll(
  catalogue: Catalogue,
  isNewDay: boolean,
  signal: AbortSignal,
  fail: (error: unknown) => void,
): Promise<void> {
  for (let all = isNewDay; ; all = false) {
    const results = new Set<string>()
    for (const uuid of await findStores(catalogue, all)) {
      if (signal.aborted) return
      const result = await followStore(catalogue, uuid).catch((error: unknown) => {
        fail(error)
        return 'failed'
      })
      results.add(result)
    }
    if (results.has('failed') || !results.has('more')) return
  }
}

async function findStores({ db }: Catalogue, all: boolean): Promise<string[]> {
  const { rows } = await (all
    ? sql<{ uuid: string }>`select store_uuid as uuid from change_reader`
    : sql<{ uuid: string }>`select uuid from stores_to_read() as uuid`
  ).execute(db)
  return rows.map(({ uuid }) => uuid)
}
