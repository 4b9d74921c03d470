import { sql } from 'kysely'
import { measureStores } from '../../src/catalogue/dashboards/measures.ts'
import { noCounts } from '../../src/import/position.ts'
import { addChange } from '../catalogue/changes/ledger-rows.ts'
import { setRequirements, settled } from '../catalogue/readiness/support.ts'
import { buildIndex } from '../support/database/product-index.ts'
import { addAssets, addProducts, define, newStore } from '../support/factories.ts'
import type { TestGateway } from '../support/servers/gateway.ts'
import { newToken, revoke } from '../support/tokens.ts'

/** Every text of the foreign store contains it: no answer to a token of another store may have it. */
export const canary = 'CANARY'

/** Two stores of one group that hold things of the same names, and tokens of every kind. */
export interface Fixture {
  own: string
  foreign: string
  /** A UUID that no store has. */
  absent: string
  tokens: Record<TokenKind, string | null>
}

export type TokenKind =
  | 'none'
  | 'malformed'
  | 'unknown'
  | 'revoked'
  | 'expired'
  | 'read-only'
  | 'write-only'
  | 'limited'
  | 'other store'
  | 'admin'

export async function createFixture(gateway: TestGateway): Promise<Fixture> {
  const own = await newStore(gateway, { store_name: 'own', store_website: 'https://own.example' })
  const secret = { store_name: `${canary} store`, store_website: `https://${canary.toLowerCase()}.example` }
  const foreign = await newStore(gateway, secret, `?linked_store_id=${own}`)
  const other = await newStore(gateway, { store_name: 'another' })
  await fill(gateway, own, 'own')
  await fill(gateway, foreign, canary)
  await measureStores(gateway.database.catalogue, new Date())
  const make = async (wanted: Parameters<typeof newToken>[1]) => (await newToken(gateway, wanted)).secret
  const revoked = await newToken(gateway, { scopes: ['READ', 'WRITE'] })
  await revoke(gateway, revoked.tokenId)
  const expired = await newToken(gateway, { scopes: ['READ', 'WRITE'], expires: '1s' })
  const tokens = {
    none: null,
    malformed: 'not a token',
    unknown: `cat_${'x'.repeat(43)}`,
    revoked: revoked.secret,
    expired: expired.secret,
    'read-only': await make({ scopes: ['READ', 'WEBHOOK'] }),
    'write-only': await make({ scopes: ['WRITE'] }),
    limited: await make({ scopes: ['READ', 'WRITE', 'WEBHOOK'], stores: [own] }),
    'other store': await make({ scopes: ['READ', 'WRITE', 'WEBHOOK'], stores: [other] }),
    admin: await make({ scopes: ['ADMIN'] }),
  }
  return { own, foreign, absent: foreign.replace(/^.{8}/, 'ffffffff'), tokens }
}

async function fill(gateway: TestGateway, store: string, mark: string): Promise<void> {
  await addProducts(gateway, store, [
    { productCode: 'CODE-1', attributes: { Color: mark, Size: mark, Label: mark } },
    { productCode: `${mark}-2`, status: 'active', attributes: { [`Only ${mark}`]: mark } },
  ])
  await addAssets(gateway, store, [
    ['asset-1', 'CODE-1', { url: `https://cdn.example/${mark}/1.jpg` }],
    [`asset-${mark}`, 'CODE-1', { url: `https://cdn.example/${mark}/2.jpg` }],
    ['asset-1', `${mark}-2`, { url: `https://cdn.example/${mark}/1.jpg` }],
  ])
  await define(gateway, store, [
    { name: 'Label', type: 'TEXT', filterable: true },
    { name: 'Size', type: 'NUMBER', filterable: true, searchable: true },
    { name: `Only ${mark}`, type: 'ENUM', allowedValues: [`no ${mark}`] },
  ])
  await buildIndex(gateway.database.catalogue, store)
  await addJob(gateway, store, mark)
  await addWebhook(gateway, store, mark)
  await setRequirements(gateway, store, 'SMP', [{ code: mark, kind: 'ATTRIBUTE', attribute: `Lacking ${mark}` }])
  await settled(gateway, store, 'SMP')
  // It stays in the queue.
  await sql`
    insert into product_dirty (store_uuid, codes, projection, not_before)
    values (${store}, array[${mark}], 'SEARCH', 'infinity')`.execute(gateway.database.db)
  const items: [string, string, string][] = [['CODE-1', `Only ${mark}`, mark]]
  await addChange(gateway.database.db, { store, requestId: 'the-request', actor: mark, items })
  await addChange(gateway.database.db, { store, requestId: 'the-revert', reverts: 'the-request', actor: mark, items })
}

/** The id that generated documents ask for. */
export const foreignJob = '01a1fdce-0000-7000-8000-00000000000f'

/** The webhook of the other store; that of the foreign one has the id of its job. */
export const ownWebhook = foreignJob.replace(/f$/, 'e')

/** A webhook that is switched off, and an attempt. */
async function addWebhook({ database: { db } }: TestGateway, store: string, mark: string): Promise<void> {
  const id = mark === canary ? foreignJob : ownWebhook
  await sql`
    insert into webhook (store_uuid, webhook_id, url, headers, secret, filter, state, position)
    values (${store}, ${id}, ${`https://hook.example/${mark}`}, ${JSON.stringify({ 'x-mark': mark })}::jsonb, 'whsec_bWFyaw==',
      ${JSON.stringify({ codePrefix: mark })}::jsonb, 'disabled', '0-0-' || (select left(ledger::text, 8) from change_horizon))`.execute(
    db,
  )
  await sql`
    insert into webhook_delivery (store_uuid, webhook_id, delivery_id, event_id, type, attempt, duration_ms, reason, response)
    values (${store}, ${id}, ${id}, ${mark}, 'webhook.ping', 1, 1, ${mark}, ${mark})`.execute(db)
}

/** The job of the other store. */
export const ownJob = foreignJob.replace(/f$/, 'd')

/** An import that has ended. */
async function addJob({ database: { db } }: TestGateway, store_uuid: string, mark: string): Promise<void> {
  const job_id = mark === canary ? foreignJob : ownJob
  const ended = { attempt: 1, started_at: new Date(), heartbeat_at: new Date(), finished_at: new Date(), error: mark }
  const job = {
    kind: 'import' as const,
    state: 'failed' as const,
    options: '{}',
    counts: JSON.stringify(noCounts),
    problems: JSON.stringify([{ row: 1, line: 2, productCode: mark, field: mark, reason: mark }]),
    ...ended,
  }
  await db
    .insertInto('job')
    .values({ store_uuid, job_id, ...job })
    .execute()
  await db
    .insertInto('job_part')
    .values({ store_uuid, job_id, direction: 'output', part: 0, bytes: Buffer.from(mark) })
    .execute()
}
