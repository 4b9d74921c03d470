import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Catalogue, catalogueFor } from '../../../src/catalogue/catalogue.ts'
import { cursorOf } from '../../../src/catalogue/changes/cursor.ts'
import { listChanges, listHistory } from '../../../src/catalogue/changes/list-changes.ts'
import { findProductAt } from '../../../src/catalogue/changes/product-at.ts'
import { readReceipt } from '../../../src/catalogue/changes/receipt.ts'
import { codesChangedSince } from '../../../src/catalogue/changes/recent-products.ts'
import { revertRequest } from '../../../src/catalogue/changes/revert/revert-request.ts'
import { listChangeRows } from '../../../src/catalogue/dashboards/list-rows.ts'
import { createExplainer, workOf } from '../../database/explain.ts'
import { useDatabase } from '../../support/database/database.ts'
import { storeIn } from '../../support/factories.ts'
import { addChange } from './ledger-rows.ts'

const database = useDatabase()
const perDay = 20_000
let store: string
let next: string

/** Two days that are over, each with changes of many stores, most of them of one. */
beforeAll(async () => {
  const { db, catalogue } = database
  store = await storeIn(catalogue)
  next = (await listChanges(catalogue, store, {}, { after: 'latest', limit: 1 })).next ?? ''
  for (const ago of [2, 1]) {
    const { rows } = await sql<{ day: string; begin: string; end: string }>`
      select to_char(d, 'YYYYMMDD') as day, (d::timestamp at time zone 'UTC')::text as begin,
        ((d + 1)::timestamp at time zone 'UTC')::text as end
      from (select (now() at time zone 'UTC')::date - ${ago}::integer as d) x`.execute(db)
    const [{ day, begin, end } = { day: '', begin: '', end: '' }] = rows
    await using client = await database.client()
    await client.query(`create table change_${day} partition of change for values from ('${begin}') to ('${end}')`)
    await sql`
      insert into change (store_uuid, at, request_id, actor, via, operation, kind, action, codes, keys, was, count)
      select case i % 10 when 0 then gen_random_uuid() else ${store}::uuid end, ${begin}::timestamptz + i * interval '1 second',
        'r' || ${ago}::text || '-' || i, 'x', 'rest', 'x', 'product', 'updated', array['code ' || i % 5000, 'code x'||i], '{a,b}', '{1,2}', 2
      from generate_series(1, ${perDay}::integer) i`.execute(db)
  }
  await sql`update change_horizon set since = now() - interval '2 days'`.execute(db)
  await sql`analyze change`.execute(db)
})

describe.each(['any', 'limited'])('with a token of %s stores', (token) => {
  const reads: Record<string, (catalogue: Catalogue) => Promise<unknown>> = {
    'the history of a product': (catalogue) =>
      listHistory(catalogue, store, { productCode: 'code 7' }, { after: null, limit: 20 }),
    'a page of the feed': (catalogue) => listChanges(catalogue, store, {}, { after: next, limit: 100 }),
    'a page of the feed of a product': (catalogue) =>
      listChanges(catalogue, store, { productCode: 'code 7' }, { after: next, limit: 100 }),
    'a receipt': (catalogue) => readReceipt(catalogue, store, 'r1-77'),
    'the changes of a request': (catalogue) =>
      listHistory(catalogue, store, { requestId: 'r1-77' }, { after: null, limit: 20 }, 'oldest first'),
    'the last changes': (catalogue) => listChangeRows(catalogue, { storeUuids: [store], limit: 100 }),
    'a product at a moment': (catalogue) => findProductAt(catalogue, store, 'code 7', new Date(Date.now() - 3_600_000)),
  }

  it.each(Object.keys(reads))('%s is read by indexes', async (title) => {
    await using explainer = createExplainer(database.direct)
    const nodes = await explainer.plansOf(async (catalogue) => {
      const read = reads[title]
      await read?.(token === 'any' ? catalogue : catalogueFor(catalogue.db, { stores: new Set([store]) }))
    })
    const whole = nodes.filter(
      (node) => node['Node Type'] === 'Seq Scan' && node['Relation Name']?.startsWith('change_2'),
    )
    expect(whole.filter((node) => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) > 100)).toEqual([])
    expect(nodes.length).toBeGreaterThan(0)
    expect(workOf(nodes)).toBeLessThan(4_000)
  })
})

it('a revert of too many changes is refused without reading them', async () => {
  const large = await storeIn(database.catalogue)
  const items = Array.from({ length: 100_001 }, (_, i): [string, null, null] => [`sku-${i}`, null, null])
  await addChange(database.db, { store: large, requestId: 'large', action: 'created', items })
  await using explainer = createExplainer(database.direct)
  const origin = { requestId: 'a revert', actor: 'a', via: 'rest', operation: 'revertRequest' } as const
  const nodes = await explainer.plansOf(async (catalogue) => {
    const work = revertRequest({ ...catalogue, origin }, large, 'large', 'SKIP')
    await expect(work).rejects.toMatchObject({ code: 'payload_too_large' })
  })
  expect(nodes.length).toBeGreaterThan(0)
  expect(workOf(nodes)).toBeLessThan(100)
})

it('the last changes of products are looked for among the last changes alone', async () => {
  const busy = await storeIn(database.catalogue)
  const add = (kind: string, count: number) =>
    sql`insert into change (store_uuid, request_id, actor, via, operation, kind, action, codes, keys, was, count)
      select ${busy}::uuid, 'r', 'x', 'rest', 'x', ${kind}, 'updated', array['code ' || i], '{a}', '{1}', 1
      from generate_series(1, ${count}::integer) i`.execute(database.db)
  const read = async () => {
    await using explainer = createExplainer(database.direct)
    let found: string[] | undefined
    const nodes = await explainer.plansOf(async (catalogue) => {
      found = await codesChangedSince(catalogue, busy, new Date(Date.now() - 60_000))
    })
    return { found: found?.length, work: workOf(nodes) }
  }
  await add('product', 20)
  await add('link', 4_000)
  expect(await read()).toMatchObject({ found: 20 })
  await add('link', 30_000)
  const { found, work } = await read()
  expect(found).toBeUndefined()
  expect(work).toBeGreaterThan(0)
  expect(work).toBeLessThan(20_000)
})

it('a cursor of the history of another database has expired', async () => {
  const after = cursorOf('00000000', { tx: '1', seq: '1' })
  const read = listHistory(database.catalogue, store, { requestId: 'none' }, { after, limit: 1 }, 'oldest first')
  await expect(read).rejects.toMatchObject({ code: 'cursor_expired' })
})
