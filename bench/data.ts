import { type Kysely, sql } from 'kysely'
import type { Database } from '../src/database/tables.ts'

/** The stores of the generated data set. */
export const stores = {
  /** 200,000 groups of 5 images on SMP, 200,000 products. */
  big: '01900000-0000-7000-8000-000000000001',
  /** 500 groups of 5 images; the first of 200 small stores. */
  small: '01900000-0000-7000-8000-000000001000',
  /** 20,000 products of three short attributes. */
  short: '01900000-0000-7000-8000-000000000003',
  /** 1,000,000 groups of 5 images, with `--large`. */
  large: '01900000-0000-7000-8000-000000000002',
  /** Products of `--only dashboards`. */
  dashboards: '01900000-0000-7000-8000-000000000004',
}

/** `stores.small` and those after it. */
export const smallStores = Array.from({ length: 200 }, (_, i) => stores.small.slice(0, 32) + (4096 + i).toString(16))

/** Fills an empty, migrated database with the same data set every time; set-based, so that it takes seconds. */
export async function generate(db: Kysely<Database>, { large }: { large: boolean }): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`set local statement_timeout = 0`.execute(transaction)
    await sql`set local work_mem = '256MB'`.execute(transaction)
    await sql`
      create temp table wanted on commit drop as
      select ${stores.big}::uuid as store_uuid, 200000 as groups, 200000 as products
      union all select (left(${stores.small}, 32) || lpad(to_hex(4096 + i), 4, '0'))::uuid, case i when 0 then 500 else 20 end, 20
        from generate_series(0, ${smallStores.length - 1}::int) i
      union all select ${stores.short}::uuid, 0, 20000
      union all select ${stores.large}::uuid, 1000000, 0 where ${large}`.execute(transaction)
    await sql`
      insert into store (store_uuid, store_group, store_name, store_taxonomy, region, channels, default_automation)
      select store_uuid, store_uuid, 'Store of ' || groups, 'catalog', '{}', '{SMP}', '{}' from wanted`.execute(
      transaction,
    )
    await sql`
      insert into product (store_uuid, product_code, status, attributes)
      select store_uuid, ${code(sql`i`)}, 'active', case store_uuid when ${stores.short} then ${few} else ${attributes} end
      from wanted, generate_series(0, products - 1) i`.execute(transaction)
    await sql`
      insert into product_total (store_uuid, shard, status, count)
      select store_uuid, 0, 'active', products from wanted where products > 0`.execute(transaction)
    await sql`
      insert into asset (store_uuid, asset_id, asset_format, url)
      select store_uuid, 'asset-' || i, 'image', ${url(sql`i`)} from wanted, generate_series(0, groups * 5 - 1) i
      where store_uuid <> ${stores.large}`.execute(transaction)
    await sql`
      insert into asset_link (store_uuid, parent_code, channel, asset_id, place)
      select store_uuid, ${code(sql`(i / 5)`)}, 'SMP', 'asset-' || i, i % 5 + 1 from wanted, generate_series(0, groups * 5 - 1) i
      where store_uuid <> ${stores.large}`.execute(transaction)
    await sql`
      insert into asset_group (store_uuid, channel, asset_format, parent_code, entries)
      select store_uuid, 'SMP', 'image', ${code(sql`i`)}, '[' || (
        select string_agg('{"asset_id":"asset-' || n || '","Image URL ' || n - i * 5 + 1 || '":"' || ${url(sql`n`)} || '"}', ',' order by n)
        from generate_series(i * 5, i * 5 + 4) n
      ) || ']'
      from wanted, generate_series(0, groups - 1) i`.execute(transaction)
    await sql`
      insert into asset_group_range (store_uuid, channel, asset_format, first_code, groups)
      select store_uuid, 'SMP', 'image', case when i <= 0 then '' else ${code(sql`i`)} end, least(i + 1000, groups) - greatest(i, 0)
      from wanted, generate_series(-500, groups - 1, 1000) i`.execute(transaction)
    await sql`
      insert into asset_group_total (store_uuid, channel, asset_format, shard, groups, version)
      select store_uuid, 'SMP', 'image', shard, case shard when 0 then groups else 0 end, 1
      from wanted, generate_series(0, least(groups / 100, 15)) shard`.execute(transaction)
  })
  await sql`vacuum analyze`.execute(db)
  await sql`checkpoint`.execute(db)
}

/**
 * Adds a store with this number of products, unless it exists. A third of them have been changed after their creation.
 * Returns the number that it has.
 */
export async function addProducts(db: Kysely<Database>, store: string, products: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select sum(count)::int as count from product_total where store_uuid = ${store} having count(*) > 0`.execute(db)
  if (rows[0]) return rows[0].count
  await db.transaction().execute(async (transaction) => {
    await sql`
      insert into store (store_uuid, store_group, store_name, store_taxonomy, region, channels, default_automation)
      values (${store}, ${store}, 'Dashboards', 'catalog', '{}', '{SMP}', '{}')`.execute(transaction)
    await sql`
      insert into product (store_uuid, product_code, status, attributes, created_at, updated_at)
      select ${store}, ${code(sql`i`)}, (array['draft', 'active', 'new', 'active', 'active'])[1 + i % 5], ${attributes},
        created_at, case i % 3 when 0 then now() - (now() - created_at) * (i % 1009 / 1009.0) else created_at end
      from generate_series(0::bigint, ${products}::int - 1) i
        cross join lateral (select now() - i * 7919 % 1000003 * interval '1 second' as created_at) c`.execute(
      transaction,
    )
    await sql`
      insert into product_total (store_uuid, shard, status, count)
      select store_uuid, 0, status, count(*) from product where store_uuid = ${store} group by store_uuid, status`.execute(
      transaction,
    )
  })
  await sql`vacuum analyze`.execute(db)
  return products
}

const few = sql`jsonb_build_object('Name', 'Product ' || i, 'Color', 'red', 'Size', (i % 50)::text)`

/** About as many attributes as in the files of shops: 500 to 1,600 bytes as JSON. */
const attributes = sql`jsonb_build_object(
  'Name', 'Product ' || i, 'Color', 'red', 'Size', (i % 50)::text, 'Barcode', lpad((i * 7919)::text, 13, '4'), 'Brand', 'Brand ' || i % 300, 'Price', (i % 200)::text || '.95',
  'Currency', 'EUR', 'Stock', (i % 90)::text, 'Weight', (i % 40)::text || '.5', 'Material', 'organic cotton', 'Category', 'Clothing/Tops/Shirts', 'Gender', 'women',
  'Season', 'autumn and winter', 'Country of origin', 'Portugal', 'Care', 'machine wash cold, do not tumble dry', 'Tax class', 'Taxable goods',
  'Short description', 'A shirt with a narrow collar, buttons down the front and long sleeves.', 'Meta title', 'Shirt ' || i || ' – free delivery',
  'URL key', 'shirt-with-a-narrow-collar-' || i,
  'Description', 'A shirt with a narrow collar, buttons down the front and long sleeves. Comfortable fit, fine seams, and a fabric that keeps its shape and its colour when it is washed often.'
)`

type Sql = ReturnType<typeof sql>

function code(i: Sql): Sql {
  return sql`'SKU-' || lpad(${i}::text, 7, '0')`
}

function url(i: Sql): Sql {
  return sql`'https://assets.example.com/catalogue/images/' || ${i} || '.jpg'`
}
