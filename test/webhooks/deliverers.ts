import { randomUUID } from 'node:crypto'
import { type Kysely, type KyselyPlugin, RawNode, ValueNode } from 'kysely'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import type { Database } from '../../src/database/tables.ts'
import type { EventFilter } from '../../src/live/event-filter.ts'
import { latestPosition } from '../../src/live/new-changes.ts'
import { startDeliverer } from '../../src/webhooks/deliver/deliverer.ts'
import type { RetryTimes } from '../../src/webhooks/deliver/retries.ts'
import { insertWebhook } from '../../src/webhooks/webhook.ts'
import { addChange } from '../catalogue/changes/ledger-rows.ts'
import type { TestDatabase } from '../support/database/database.ts'
import { fastTimes } from './receiver.ts'

/** A webhook of a store of its own, and its position: after the latest change. */
export async function newWebhook({ catalogue, db }: TestDatabase, url: string, filter: EventFilter = {}) {
  const key = { storeUuid: randomUUID(), webhookId: randomUUID() }
  const position = await latestPosition(db, [key.storeUuid])
  await insertWebhook(catalogue, { ...key, url, headers: {}, filter, secret: 'whsec_c2VjcmV0', position })
  return { ...key, position }
}

export function insertChange({ db }: TestDatabase, storeUuid: string, ...codes: string[]) {
  return addChange(db, { store: storeUuid, action: 'created', items: codes.map((code) => [code, null, null]) })
}

/** A transaction that has a number, until it is ended. */
export async function openTransaction(database: TestDatabase): Promise<() => Promise<void>> {
  const client = await database.client()
  await client.query('begin')
  await client.query('select pg_current_xact_id()')
  return () => client.end()
}

/** A deliverer: how often it has polled, what was known then, how many other statements it has sent, its warnings. */
export function startCounted(db: Kysely<Database>, times: RetryTimes = fastTimes) {
  const state = { polls: 0, known: null as unknown, others: 0, warnings: [] as { reason?: string }[] }
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => {
      if (RawNode.is(node) && node.sqlFragments.join().includes('due_webhooks')) {
        state.polls++
        state.known = node.parameters.filter(ValueNode.is)[0]?.value
      } else state.others++
      return node
    },
    transformResult: async ({ result }) => result,
  }
  const log = pino({ level: 'warn' }, { write: (line) => state.warnings.push(JSON.parse(line)) })
  const outgoing = { allow: ['127.0.0.0/8'] }
  const deliverer = startDeliverer({ db: db.withPlugin(counting), outgoing, times, log })
  onTestFinished(deliverer.stop)
  return state
}
