import { expect, it } from 'vitest'
import { runInStore, storeOf } from '../../src/database/citus/run-in-store.ts'

const store = '01890000-0000-7000-8000-000000000000'
const other = '01890000-0000-7000-8000-000000000001'

it.each([
  ['that it compares with store_uuid', 'select $1 from asset where store_uuid = $2', [other, store], store],
  ['that it inserts', 'insert into asset (store_uuid, url) select distinct $2::uuid, $1', [other, store], store],
  ['of a write of products', 'select from write_products($1::uuid, $2, $3)', [store, '[]', '{}'], store],
  ['that comes first', 'select lock_store($1::uuid, $2)', [store, other], store],
  ['if it has one', 'select from asset where store_uuid = $2', [other, null], undefined],
])('the store of a statement is the one %s', (_what, text, values, found) => {
  expect(storeOf(text, values)).toBe(found)
})

it.each([
  ['a statement that only reads', 'with a as (select 1 from asset) select * from a where store_uuid = $1'],
  [
    'an insert without a common table expression',
    'insert into asset (store_uuid, asset_id) select $1, asset_id from a',
  ],
  ['a statement on its own tables', 'with a as (select 1) insert into idempotency_key (scope) select $1 from a'],
  [
    'a statement on tables of both kinds',
    'with a as (select 1 from store), b as (insert into asset (store_uuid) select $1 from a) select from b',
  ],
])('the coordinator of Citus runs %s', (_what, text) => {
  expect(runInStore(store, text, [store])).toBeUndefined()
})

it('the server of a store runs a statement that inserts in a common table expression, on its shards', () => {
  const text = `with gone as (
      delete from asset where store_uuid = $1 and asset_id like 'a%' returning asset_id
    ), linked as (
      insert into asset_link (store_uuid, asset_id) select $1::uuid, unnest($2::text[])
    )
    select * from gone left join asset on true`
  expect(runInStore(store, text, [store, ['A']])).toEqual({
    text: 'select answer from run_in_store($1::uuid, $2, $3::text[], array[$5::text, $6::text]::text[], $4::jsonb) answer',
    values: [
      store,
      `with gone as (
      delete from %3$I where store_uuid = %1$L and asset_id like 'a%%' returning asset_id
    ), linked as (
      insert into %4$I (store_uuid, asset_id) select %1$L::uuid, unnest(%2$L::text[])
    )
    select * from gone left join %3$I on true`,
      ['asset', 'asset_link'],
      null,
      store,
      ['A'],
    ],
  })
})

it('the coordinator takes the locks of a write of products', () => {
  const text = 'select from write_products($1::uuid, $2::jsonb, $3::jsonb)'
  expect(runInStore(store, text, [store, '[1]', '{}'])?.values).toEqual([
    store,
    'select from write_products(%1$L::uuid, %2$L::jsonb, %3$L::jsonb)',
    [],
    '[1]',
    ...[store, null, '{}'],
  ])
})

const insert = 'with a as (insert into asset (store_uuid) select $1::uuid) select'

it.each([
  ['a literal', `'from product, $1 it''s' from asset`, `'from product, $1 it''s' from %3$I`],
  [
    'a comment',
    '1 -- from product\n/* $1\n, product */ from asset',
    '1 -- from product\n/* $1\n, product */ from %3$I',
  ],
  ['many parameters', '$10, $1', '%10$L, %1$L'],
  ['upper case', '1 FROM asset', '1 FROM %3$I'],
])('%s of a statement stays what it is on a shard', (_what, text, onShard) => {
  const { values } = runInStore(store, `${insert} ${text}`, [store, store]) ?? {}
  expect(values?.[1]).toBe(`with a as (insert into %3$I (store_uuid) select %1$L::uuid) select ${onShard}`)
})

it.each([
  ['a join by a comma', `${insert} 1 from a, product`, 'product'],
  ['a table after "using"', `${insert} 1; delete from asset using product`, 'product'],
  ['a quoted table', `${insert} 1 from "product"`, 'product'],
  ['a table of a schema', `${insert} 1 from public.product`, 'product'],
  ['a column of a table', `${insert} product.status from product`, 'product'],
  ['a table of the coordinator', `${insert} 1 from a, store`, 'store'],
  ['a row of the ledger', 'with a as (insert into change (store_uuid) select $1) select', 'insert into change'],
  ['another store', `${insert} 1 from product where store_uuid = $2`, 'store_uuid = $2'],
])('%s is refused where the server of a store would run the statement', (_what, text, fault) => {
  expect(() => runInStore(store, text, [store, other])).toThrow(`cannot run ${fault} in: with a`)
})

it('bytes are refused where the server of a store would run the statement', () => {
  expect(() => runInStore(store, insert, [store, Buffer.from('a')])).toThrow('cannot run bytes')
})
