import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { joinTransaction, type WriteCatalogue } from '../../../src/catalogue/catalogue.ts'
import { findChangedGaps } from '../../../src/catalogue/readiness/counts.ts'
import { findProductReadiness } from '../../../src/catalogue/readiness/product-readiness.ts'
import { addProducts, storeWithProducts } from '../../support/factories.ts'
import { useGateway } from '../../support/servers/gateway.ts'
import { setRequirements, settled } from './support.ts'

const gateway = useGateway()

it('counts the products of all chunks of a step', async () => {
  const codes = Array.from({ length: 1_000 }, (_, i) => `P${i}`)
  const store = await storeWithProducts(gateway, codes)
  // The steps of the pattern make chunks of 248 products.
  await setRequirements(gateway, store, 'SMP', [
    { code: 'title', kind: 'ATTRIBUTE', attribute: 'Title', pattern: 'a{1,400}' },
  ])
  expect(await settled(gateway, store, 'SMP')).toMatchObject({ ready: 0, requirements: [{ missing: 1_000 }] })
  await addProducts(
    gateway,
    store,
    codes.map((productCode) => ({ productCode, attributes: { Title: 'a' } })),
  )
  expect(await settled(gateway, store, 'SMP')).toMatchObject({ ready: 1_000, requirements: [{ missing: 0 }] })
})

// The blocks are those of one server.
it.skipIf(process.env.CITUS_URL)(
  'reads the attributes of a large product once, not once for each requirement',
  async () => {
    const store = await storeWithProducts(gateway, ['LARGE'])
    const { db, catalogue } = gateway.database
    await sql`update product set attributes = (
      select jsonb_object_agg('Text ' || n, repeat('x', 60000)) from generate_series(1, 64) n
    ) where store_uuid = ${store}`.execute(db)
    const requirements = Array.from({ length: 62 }, (_, i) => {
      return { code: `c${i}`, kind: 'ATTRIBUTE' as const, attribute: `Text ${i + 1}`, whenAttribute: 'Text 64' }
    })
    expect((await setRequirements(gateway, store, 'SMP', requirements)).errors).toBeUndefined()
    const blocksRead = (work: (catalogue: WriteCatalogue) => Promise<unknown>) =>
      db.transaction().execute(async (transaction) => {
        await work(joinTransaction(catalogue, transaction))
        const { rows } = await sql<{ blocks: number }>`
        select sum(pg_stat_get_xact_blocks_fetched(reltoastrelid))::integer as blocks from pg_class
        where relname ~ '^product(_\\d+)?$' and reltoastrelid <> 0`.execute(transaction)
        return rows[0]?.blocks
      })
    const { rows } = await sql<Parameters<typeof findChangedGaps>[2]>`
    select channel, 1 as build, requirements from channel_requirement where store_uuid = ${store}`.execute(db)
    const [counts] = rows
    if (!counts) throw new Error('the store has no requirements')
    const counted = await blocksRead((work) => findChangedGaps(work, store, counts, ['LARGE']))
    const shown = await blocksRead((work) => findProductReadiness(work, store, ['LARGE']))
    for (const blocks of [counted, shown]) {
      expect(blocks).toBeGreaterThan(0)
      expect(blocks).toBeLessThan(200)
    }
  },
)
