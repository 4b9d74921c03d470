import { expect, it } from 'vitest'
import { runInStore } from '../../src/database/citus/run-in-store.ts'

const store = '01890000-0000-7000-8000-000000000000'

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
    ), recorded as (
      insert into change (store_uuid, codes) select $1::uuid, array_agg(asset_id) from gone
    ), marked as (
      insert into product_dirty (store_uuid, codes)
      select $1::uuid, $2::text[]
    )
    select * from gone left join asset on true`
  expect(runInStore(store, text, [store, ['A']])).toEqual({
    text: 'select answer from run_in_store($1::uuid, $2, $3::text[], array[$4::text, $5::text]::text[]) answer',
    values: [
      store,
      `with gone as (
      delete from %3$I where store_uuid = %1$L and asset_id like 'a%%' returning asset_id
    ), recorded as (
      insert into %4$I (tx, seq, store_uuid, codes) select writing_tx(), next_number('change_seq'), %1$L::uuid, array_agg(asset_id) from gone
    ), marked as (
      insert into %5$I (seq, store_uuid, codes) select next_number('product_dirty_seq'), %1$L::uuid, %2$L::text[]
    )
    select * from gone left join %3$I on true`,
      ['asset', 'change', 'product_dirty'],
      store,
      ['A'],
    ],
  })
})
