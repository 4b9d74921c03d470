import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Logger } from 'pino'
import { connect } from '../../database/connection/connect.ts'
import type { ConnectionConfig } from '../../database/connection/session.ts'
import type { Database } from '../../database/tables.ts'
import { RequestPatterns } from '../attributes/request-patterns.ts'
import { type Catalogue, wholeCatalogue } from '../catalogue.ts'
import { followStore } from './follow-store.ts'

const pollMs = 1_000
/** How soon the first requirements of all stores are noticed. */
const idlePollMs = 5_000
/** Connections of its own: what it does takes none of those for requests. */
const ownConnections = { application_name: 'catalogue-gateway-reader', max: 2, maxPerToken: 2 }
/** How long a shutdown waits for the running step, which is repeated elsewhere. */
const stopWithinMs = 500

type RunHeavy = ConstructorParameters<typeof RequestPatterns>[0]

interface Head {
  /** The number of the last change, also of one that is not committed. */
  seq: string
  oldestOpen: string
  nextTx: string
  /** Whether any store has requirements, and whether any store is to be counted anew. */
  follows: boolean
  isDue: boolean
}

/**
 * Follows the ledger of all stores that have requirements, in the background: one statement a second while nothing
 * changes. Several processes may run it at a time. Returns the function that ends it.
 */
export function startReader(db: Kysely<Database>, runHeavy: RunHeavy, log: Logger): () => Promise<void> {
  const catalogue: Catalogue = { ...wholeCatalogue(db), patterns: new RequestPatterns(runHeavy) }
  const stopping = new AbortController()
  const { signal } = stopping
  const warn = (error: unknown) => {
    if (!signal.aborted) log.warn({ reason: error instanceof Error ? error.message : error }, 'readiness')
  }
  const running = run(catalogue, signal, warn).catch(() => {})
  return async () => {
    stopping.abort()
    await Promise.race([running, sleep(stopWithinMs, undefined, { ref: false })])
  }
}

/** The same on connections of its own. */
export function startOwnReader(connection: ConnectionConfig, runHeavy: RunHeavy, log: Logger): () => Promise<void> {
  const db = connect({ ...connection, ...ownConnections }, () => {})
  const stop = startReader(db, runHeavy, log)
  return async () => {
    await stop()
    await db.destroy()
  }
}

async function run(catalogue: Catalogue, signal: AbortSignal, warn: (error: unknown) => void): Promise<void> {
  const isSettled = createSettled()
  let day = -1
  let pauseMs = pollMs
  const fail = (error: unknown) => {
    warn(error)
    pauseMs = idlePollMs
  }
  while (!signal.aborted) {
    await sleep(pauseMs, undefined, { ref: false, signal })
    try {
      const head = await readHead(catalogue)
      pauseMs = head.follows ? pollMs : idlePollMs
      const isNewDay = new Date().getUTCDate() !== day
      const settle = isSettled(head)
      if (head.follows && (isNewDay || head.isDue || settle)) {
        const isDone = await followAll(catalogue, isNewDay, signal, fail)
        if (isNewDay) day = new Date().getUTCDate()
        if (isDone) settle?.()
      }
    } catch (error) {
      fail(error)
    }
  }
}

async function readHead({ db }: Catalogue): Promise<Head> {
  const { rows } = await sql<Head>`
    select (select last_value from change_seq) as seq, oldest_open() as "oldestOpen",
      pg_snapshot_xmax(pg_current_snapshot()) as "nextTx", exists (select from change_reader) as follows,
      exists (select from due_reader) as "isDue"`.execute(db)
  const [head] = rows
  if (!head) throw new Error('the head of the ledger has no row')
  return head
}

/**
 * Makes a function that says whether there may be changes that were not read: it returns undefined if not, else what to
 * call when all have been read. The feed has a change once all transactions that began before it have ended: those that
 * a second look at the same number finds have begun, and taken their numbers, before it.
 */
function createSettled(): (head: Head) => (() => void) | undefined {
  let seen: { seq: string; until?: bigint; isSettled: boolean } = { seq: '', isSettled: false }
  return ({ seq, oldestOpen, nextTx }) => {
    if (seq !== seen.seq) seen = { seq, isSettled: false }
    else seen.until ??= BigInt(nextTx)
    const { until } = seen
    if (seen.isSettled) return undefined
    return () => {
      seen.isSettled = until !== undefined && BigInt(oldestOpen) >= until
    }
  }
}

/** Goes through the stores in turn, as long as any has more. Returns whether all are done. */
async function followAll(
  catalogue: Catalogue,
  isNewDay: boolean,
  signal: AbortSignal,
  warn: (error: unknown) => void,
): Promise<boolean> {
  for (let round = 1; ; round++) {
    const results = new Set<string>()
    for (const uuid of await findStores(catalogue, isNewDay && round === 1)) {
      if (signal.aborted) return false
      results.add(
        await followStore(catalogue, uuid).catch((error: unknown) => {
          warn(error)
          return 'failed'
        }),
      )
    }
    if (!results.has('more')) return !results.has('locked') && !results.has('failed')
    // Stores that fail are not tried all the time, as long as others go on.
    if (results.has('failed')) return false
  }
}

async function findStores({ db }: Catalogue, all: boolean): Promise<string[]> {
  const { rows } = await (all
    ? sql<{ uuid: string }>`select store_uuid as uuid from change_reader`
    : sql<{ uuid: string }>`select uuid from stores_to_read() as uuid`
  ).execute(db)
  return rows.map(({ uuid }) => uuid)
}
