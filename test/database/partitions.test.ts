import { writeFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { listGroups } from '../../src/catalogue/asset-groups/list-groups.ts'
import { addAssets as addAssetsTo } from '../../src/catalogue/assets/add-assets.ts'
import { placeAssets } from '../../src/catalogue/assets/place-assets.ts'
import { deleteAssets, unlinkAssets } from '../../src/catalogue/assets/remove-assets.ts'
import { catalogueFor, type WriteCatalogue } from '../../src/catalogue/catalogue.ts'
import { fallbackEnumerations as all } from '../../src/catalogue/enumerations.ts'
import { listProducts } from '../../src/catalogue/products/lists/list-products.ts'
import { updateProducts } from '../../src/catalogue/products/update-products.ts'
import { upsertProducts } from '../../src/catalogue/products/upsert-products.ts'
import { migrate } from '../../src/database/migrate.ts'
import { namesOf } from '../../src/database/registry/table-registry.ts'
import { runCli } from '../support/clients/cli.ts'
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts'
import { buildIndex } from '../support/database/product-index.ts'
import { addAssets, define, productOf, storeWithProducts } from '../support/factories.ts'
import { fixture } from '../support/fixture.ts'
import { useFolder } from '../support/folder.ts'
import { startTestGateway, type TestGateway } from '../support/servers/gateway.ts'
import { newToken } from '../support/tokens.ts'
import { createExplainer, type Explainer } from './explain.ts'

const tables = namesOf(({ partitioned }) => partitioned).toSorted()
const folder = useFolder()
const run = ({ url }: TestDatabase, ...args: string[]) => runCli(args, { DATABASE_URL: url })

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase({ empty: true })
  onTestFinished(() => database.drop())
  return database
}

describe('catalog migrate --partitions', () => {
  it('makes the partitions of a new database once, with all that their tables have', async () => {
    const database = await emptyDatabase()
    const { db } = database
    const again = async (...args: string[]) => (await run(database, 'migrate', ...args)).stdout
    expect(await again('--partitions', '3')).toMatch(/^ran 0001-catalogue, /)
    expect(await again('--partitions', '3')).toBe('the database is up to date\n')
    expect(await again()).toBe('the database is up to date\n')
    const { rows } = await sql`
      select parent.relname as table, parent.relrowsecurity as is_secured, count(*)::int as partitions,
        array_agg(distinct part.reloptions::text) as settings,
        bool_or(has_table_privilege('catalogue_tenant', part.oid, 'select, insert, update, delete')) as is_open,
        (select count(*)::int from pg_index where indrelid = parent.oid) = all(
          array_agg((select count(*)::int from pg_index where indrelid = part.oid and indisvalid))) as has_indexes
      from pg_inherits join pg_class parent on parent.oid = inhparent join pg_class part on part.oid = inhrelid
      where parent.relnamespace = current_schema()::regnamespace and parent.relname in (${sql.join(tables)}) group by parent.oid order by 1`.execute(
      db,
    )
    expect(rows).toEqual(
      tables.map((table) => ({
        table,
        is_secured: true,
        partitions: 3,
        settings: [
          {
            asset_group_range: '{fillfactor=70}',
            asset_group_total: '{fillfactor=50}',
            product: '{fillfactor=85}',
            product_index: '{fillfactor=80}',
          }[table] ?? null,
        ],
        is_open: false,
        has_indexes: true,
      })),
    )
  })

  it('partitions the tables of later migrations as those that are there', async () => {
    const database = await emptyDatabase()
    const { db } = database
    await migrate(db, 3)
    await sql`drop table product_index, product_index_slot cascade`.execute(db)
    await sql`delete from migration where name = '0008-product-index'`.execute(db)
    expect(await migrate(db)).toContain('0008-product-index')
    const { rows } = await sql`
      select count(*)::int as partitions from pg_inherits where inhparent = 'product_index'::regclass`.execute(db)
    expect(rows).toEqual([{ partitions: 3 }])
  })

  it('leaves a database with tables as it is, and says what was found and what to do', async () => {
    const database = await emptyDatabase()
    const attempt = async (count: string) => {
      const { code, stdout, stderr } = await run(database, 'migrate', '--partitions', count)
      expect([code, stdout]).toEqual([1, ''])
      return stderr
    }
    await migrate(database.db)
    const found = 'expected a database without tables for --partitions 8; its tables are without partitions: '
    const advice = 'create a new database, run "catalog migrate --partitions 8" on it, and move the data by'
    expect(await attempt('8')).toContain(`${found}${advice} "catalog backup" and "catalog restore"`)
    const other = await emptyDatabase()
    await migrate(other.db, 3)
    await expect(migrate(other.db, 8)).rejects.toThrow('its tables are in 3 partitions: create a new database')
  })

  it('makes them once when several start at once', async () => {
    const { db } = await emptyDatabase()
    const ran = await Promise.allSettled([migrate(db, 3), migrate(db, 3), migrate(db, 5)])
    expect(ran.map(({ status }) => status).filter((status) => status === 'rejected').length).toBeLessThanOrEqual(2)
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from pg_inherits where inhparent = 'product'::regclass`.execute(db)
    expect([3, 5]).toContain(rows[0]?.count)
  })

  it.each(['1', '129', '4.5', 'many'])('refuses %j partitions', async (count) => {
    const { code, stderr } = await runCli(['migrate', `--partitions=${count}`], {
      DATABASE_URL: 'postgresql://nowhere',
    })
    expect(code).toBe(2)
    expect(stderr).toContain(
      `option '--partitions <number>' argument '${count}' is invalid. It must be a whole number from 2 to 128.`,
    )
  })

  it('makes the most partitions with the locks that PostgreSQL has room for by default', async () => {
    const { db } = await emptyDatabase()
    await migrate(db, 128)
    const { rows } =
      await sql`select count(*)::int as count from pg_inherits where inhparent = 'product'::regclass`.execute(db)
    expect(rows).toEqual([{ count: 128 }])
  })
})

describe('a gateway on four partitions', () => {
  const gateway = fixture<TestGateway & { drop(): Promise<void> }>(
    async () => {
      const database = await createTestDatabase({ empty: true })
      await migrate(database.db, 4)
      return { ...(await startTestGateway({ database })), drop: database.drop }
    },
    async ({ stop, drop }) => {
      await stop?.()
      await drop?.()
    },
  )
  let explainer: Explainer
  let store: string
  let foreign: string
  beforeAll(async () => {
    explainer = createExplainer(gateway.database.direct)
    const stores: string[] = []
    while (stores.length < 12) stores.push(await storeWithProducts(gateway, ['Z']))
    ;[store = '', foreign = ''] = stores
    for (const one of [store, foreign]) {
      await define(gateway, one, [{ name: 'Color', type: 'TEXT', filterable: true, searchable: true }])
      await buildIndex(gateway.database.catalogue, one)
    }
    const file = folder.file('two.csv')
    await writeFile(
      file,
      'sku,Color,Image URL 1,Image URL 2\nA,red,https://a.example/1,https://a.example/2\nB,blue,,\n',
    )
    for (const one of [store, foreign]) {
      for (const outcome of ['2 created', '2 unchanged']) {
        const { code, stdout } = await run(gateway.database, 'import', file, '--store', one)
        expect([code, stdout]).toEqual([0, expect.stringContaining(outcome)])
      }
    }
  })

  afterAll(() => explainer.close())

  const call = (method: string, path: string, body?: unknown) => gateway.call(`/v1/${path}`, { method, body })
  const listing = async (storeUuid: string) => {
    const { json } = await call('GET', `assets?store_uuid=${storeUuid}`)
    const { data } = json as { data: { assets: Record<string, { assets: unknown[] }> } }
    return Object.entries(data.assets).map(([code, { assets }]) => [code, assets.length])
  }

  const links = ['A', 'B', 'F'].map((parentCode) => {
    return { parentCode, channel: 'SMP', assetFormat: 'image', url: `https://a.example/${parentCode}`, assetId: null }
  })
  const placements = links.map((link) => ({ ...link, assets: { 'Image URL 1': link.url } }))
  const ofStore = <Link>(link: Link) => ({ ...link, storeUuid: store })
  const work: Record<string, (catalogue: WriteCatalogue) => Promise<unknown>> = {
    'a page of groups': (catalogue) =>
      listGroups(catalogue, store, { channel: 'SMP', assetFormat: 'image', offset: 0, limit: 50 }),
    'a page of products': (catalogue) => listProducts(catalogue, store, {}, { limit: 50, backwards: false }),
    'PUT of products': (catalogue) => updateProducts(catalogue, store, [{ productCode: 'A', status: 'draft' }]),
    'upsert of a new product': (catalogue) => upsertProducts(catalogue, store, [{ productCode: 'E' }]),
    addAssets: (catalogue) => addAssetsTo(catalogue, all, store, links),
    placeAssets: (catalogue) => placeAssets(catalogue, all, { storeUuid: store, channel: 'SMP' }, placements),
    deleteAssets: (catalogue) => deleteAssets(catalogue, links.map(ofStore)),
    unlinkAssets: (catalogue) => unlinkAssets(catalogue, links.map(ofStore)),
  }
  it.each(Object.entries(work))('reads one of them for %s of a store', async (_title, run) => {
    const { rows } = await sql`select distinct tableoid from product`.execute(gateway.database.db)
    expect(rows.length).toBeGreaterThan(1)
    const nodes = await explainer.plansOf(run)
    const read = nodes
      .filter((node) => node['Actual Loops'] > 0)
      .map((node) => /_\d+$/.exec(node['Relation Name'] ?? '')?.[0])
    expect(new Set(read.filter(Boolean)).size).toBe(1)
  })

  it('writes, lists, deletes and unlinks', async () => {
    const put = await call('PUT', `products?store_uuid=${store}`, [
      { product_code: 'A', Color: 'green', status: 'active' },
      { product_code: 'unknown', Color: 'green' },
    ])
    expect(put.json).toMatchObject({ data: { updated_skus: ['A'], unavailable_skus: ['unknown'] } })
    expect(await productOf(gateway, store, 'A')).toMatchObject({ status: 'ACTIVE', attributes: { Color: 'green' } })
    await addAssets(gateway, store, ['new A', 'new C'])
    expect(await listing(store)).toEqual([
      ['A', 3],
      ['C', 1],
    ])
    const unlinked = await call('POST', 'assets/unlink', [
      { store_uuid: store, parent_code: 'C', channel: 'SMP', asset_id: 'new' },
    ])
    expect(unlinked).toMatchObject({ status: 200 })
    expect(await listing(store)).toEqual([['A', 3]])
    expect(await call('DELETE', 'assets', [{ store_uuid: store, asset_id: ['new'] }])).toMatchObject({ status: 200 })
    expect(await listing(store)).toEqual([['A', 2]])
    expect(await listing(foreign)).toEqual([['A', 2]])
    expect(await run(gateway.database, 'check')).toMatchObject({ code: 0 })
  })

  it('says on /ready, in the metrics and in the check what it is', async () => {
    const ready = async () => (await gateway.call('/ready')).text
    await expect.poll(ready).toBe('{"status":"ok","database":"partitions"}')
    expect((await gateway.call('/metrics')).text).toContain('catalogue_database{kind="partitions"} 1')
    const { stdout } = await runCli(['check', '--json'], { DATABASE_URL: gateway.database.url })
    expect(JSON.parse(stdout)).toMatchObject({ database: 'partitions', differences: [] })
  })

  it('distinguishes new products from existing ones', async () => {
    const document = `mutation ($storeUuid: ID!, $codes: [ProductPatch!]!) {
      first: upsertProducts(storeUuid: $storeUuid, products: $codes) { createdSkus updatedSkus }
      second: upsertProducts(storeUuid: $storeUuid, products: $codes) { createdSkus updatedSkus }
    }`
    const codes = ['B', 'N'].map((productCode) => ({ productCode, status: 'draft' }))
    expect(await gateway.data(document, { storeUuid: store, codes })).toEqual({
      first: { createdSkus: ['N'], updatedSkus: ['B'] },
      second: { createdSkus: [], updatedSkus: ['B', 'N'] },
    })
  })

  it('shows a tenant the rows of its stores, and no partition', async () => {
    const { secret } = await newToken(gateway, { scopes: ['READ', 'WRITE'], stores: [store] })
    const read = (storeUuid: string) => gateway.call(`/v1/assets?store_uuid=${storeUuid}`, { token: secret })
    expect([(await read(store)).status, (await read(foreign)).status]).toEqual([200, 404])
    const { db } = catalogueFor(gateway.database.db, { stores: new Set([store]) })
    for (const table of tables) {
      const { rows } = await sql`select distinct store_uuid from ${sql.table(table)}`.execute(db)
      expect(rows, table).toEqual([{ store_uuid: store }])
      await expect(sql`select from ${sql.table(`${table}_0`)}`.execute(db), table).rejects.toThrow('permission denied')
    }
    const planted = sql`insert into product values (${foreign}, 'planted', 'new', '{}')`
    await expect(planted.execute(db)).rejects.toThrow('row-level security')
  })

  it.each([undefined, 5])('exports, backs up and restores into %j partitions', async (partitions) => {
    const file = folder.file(`backup-${partitions}.sql`)
    const copy = await emptyDatabase()
    await migrate(copy.db, partitions)
    expect(await run(gateway.database, 'backup', file)).toMatchObject({ code: 0 })
    expect(await run(copy, 'restore', file)).toMatchObject({ code: 0 })
    expect(await run(copy, 'check')).toMatchObject({ code: 0 })
    const exported = (database: TestDatabase) => run(database, 'export', '--store', store, '--format', 'jsonl')
    const { code, stdout } = await exported(copy)
    expect([code, stdout]).toEqual([0, (await exported(gateway.database)).stdout])
    expect(stdout).toContain('https://a.example/2')
  })
})
