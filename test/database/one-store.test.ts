import { globSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { useDatabase } from '../support/database/database.ts'
import { functionsOf, readVolatility, tables, violationsOf } from '../support/database/one-store.ts'

/**
 * `support/database/sent-statements.ts` checks every statement that the product sends in any test; here are the rules
 * themselves.
 */
const database = useDatabase()
let volatility: Awaited<ReturnType<typeof readVolatility>>
beforeAll(async () => {
  await using client = await database.client()
  volatility = await readVolatility(client)
})

it.each<[title: string, text: string, violations: string[]]>([
  ['one table', 'select from product where store_uuid = $1::uuid and product_code = $2', []],
  ['the list of stores', 'select from store where store_group = any($1)', []],
  [
    'a join',
    'select from asset_link l join asset a on a.store_uuid = $1 and a.asset_id = l.asset_id where l.store_uuid = $2',
    [],
  ],
  [
    'one store in each part of a union',
    'select from product where store_uuid = $1 union select from asset where store_uuid = $1',
    [],
  ],
  [
    'a union with a part that has no store',
    'select from product where store_uuid = $1 union select from asset',
    ['asset has no store_uuid = $n of its own'],
  ],
  ['no store', 'select from product', ['product has no store_uuid = $n of its own']],
  ['several stores', 'select from product where store_uuid = any($1)', ['product has no store_uuid = $n of its own']],
  ['a choice', 'select from product where store_uuid = $1 or true', ['product has no store_uuid = $n of its own']],
  ['a subquery', 'delete from product where store_uuid = (select $1)', ['product has no store_uuid = $n of its own']],
  [
    'a store that is named once',
    'select from asset s join product p using (store_uuid) where p.store_uuid = $1',
    ['s has no store_uuid = $n of its own'],
  ],
  [
    'a store of an outer query',
    'select (select count(*) from product where store_uuid = s.store_uuid) from asset s where s.store_uuid = $1',
    ['product has no store_uuid = $n of its own'],
  ],
  [
    'a store of a common table expression',
    'with new as (select $1::uuid as store) insert into asset (store_uuid, url) select store, $2 from new',
    ['the inserted store_uuid is no $n'],
  ],
  [
    'a table of the coordinator',
    'select from store s join product p on p.store_uuid = $1 where s.store_uuid = $1',
    ['store is not on the server of a store'],
  ],
  [
    'a lock on the coordinator',
    'select pg_advisory_xact_lock(1, 2) from store where store_uuid = $1',
    ['a lock is not taken on the server of a store'],
  ],
  ['a lock on the server of a store', 'select pg_advisory_xact_lock(1, 2) from product where store_uuid = $1', []],
  [
    'a random value',
    'insert into asset (store_uuid, url) select $1, random()',
    ['random in insert … select is volatile'],
  ],
  [
    'the time in an update after a conflict',
    'insert into asset (store_uuid) values ($1) on conflict (store_uuid) do update set created_at = now()',
    ['now in do update is not immutable'],
  ],
  [
    'a function that is not immutable in a case',
    'update asset set url = case when now() > $2 then url end where store_uuid = $1',
    ['now in case or coalesce is not immutable'],
  ],
  [
    'a case in a table that is not shared',
    'update token set revoked_at = coalesce(revoked_at, now()) where token_id = $1',
    [],
  ],
  [
    'a case of a value',
    `update product set status = case status when 'new' then 'old' else status end where store_uuid = $1`,
    ['a case of a value in an update'],
  ],
])('judges %s', async (_title, text, violations) => {
  expect(await violationsOf(text, volatility)).toEqual(violations)
})

it('the statements of functions name one store, and take their locks on its server', async () => {
  const sources = fileURLToPath(new URL('../../src', import.meta.url))
  const files = globSync('{database,catalogue}/**/*.sql', { cwd: sources }).map((name) => join(sources, name))
  const functions = (await Promise.all(files.map((file) => functionsOf(pathToFileURL(file))))).flat()
  const ofStores = functions.filter(({ statements }) =>
    statements.some((text) => /store_uuid = (of_)?store\b/.test(text)),
  )
  expect(ofStores.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['changes_after', 'codes_like', 'write_products']),
  )
  const found: Record<string, string[]> = {}
  for (const { name, statements } of functions) {
    for (const text of statements) {
      const violations = await violationsOf(text, volatility, ['store', 'of_store'])
      if (violations.length > 0) found[name] = [...(found[name] ?? []), ...violations]
    }
  }
  expect(found).toEqual({
    // These statements are not reached on Citus.
    changes_of: ['c has no store_uuid = $n of its own'],
    changes_of_stores: ['c has no store_uuid = $n of its own'],
    // They ask for the queues of all servers.
    queue_state: ['product_dirty has no store_uuid = $n of its own'],
    queued_stores: ['product_dirty has no store_uuid = $n of its own'],
  })
})

it('every table with stores is known, and unique within a store only', async () => {
  const { rows } = await sql<{ table: string; unique: string[] }>`
    select c.relname as table, array_agg(a.attname::text) as unique
    from pg_class c join pg_index i on i.indrelid = c.oid and i.indisunique
      join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
    where c.relnamespace = current_schema()::regnamespace and not c.relispartition
      and exists (select from pg_attribute s where s.attrelid = c.oid and s.attname = 'store_uuid')
    group by c.relname`.execute(database.db)
  expect(rows.map(({ table }) => table).sort()).toEqual(Object.values(tables).flat().sort())
  for (const { table, unique } of rows.filter((row) => !tables.local.includes(row.table)))
    expect({ table, unique }).toEqual({ table, unique: ['store_uuid'] })
})
