import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { ask, documentOf } from '../support/clients/operations.ts'
import { newStore } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()

it('a few linked stores of a huge group are read alone', async () => {
  const storeUuid = await newStore(gateway)
  await sql`
    insert into store (store_uuid, store_group, store_name, store_taxonomy, region, channels, default_automation)
    select gen_random_uuid(), store_group, repeat('x', 5000), store_taxonomy, region, channels, default_automation
    from store, generate_series(1, 2000) where store_uuid = ${storeUuid}`.execute(gateway.database.db)
  const found = await ask<{ linkedStores: unknown[] }>(
    gateway,
    'store',
    { storeUuid },
    '{ linkedStores(first: 2) { storeName linkedStores(first: 1) { storeUuid } } }',
  )
  expect(found.linkedStores).toHaveLength(2)
  expect(found.linkedStores).toMatchObject([{ linkedStores: [{}] }, { linkedStores: [{}] }])
})

it('linked stores are all listed, and each time counts as read', async () => {
  const storeUuid = await newStore(gateway)
  await sql`
    insert into store (store_uuid, store_group, store_name, store_taxonomy, region, channels, default_automation)
    select gen_random_uuid(), store_group, 'x', store_taxonomy, region, channels, default_automation
    from store, generate_series(1, 150) where store_uuid = ${storeUuid}`.execute(gateway.database.db)
  const found = await ask<{ linkedStores: unknown[] }>(
    gateway,
    'store',
    { storeUuid },
    '{ linkedStores { storeUuid } }',
  )
  expect(found.linkedStores).toHaveLength(150)
  const selection = '{ linkedStores { linkedStores { linkedStores { storeUuid } } } }'
  const { errors } = await gateway.graphql(documentOf('store', { storeUuid }, selection), { storeUuid })
  expect(errors?.[0]?.message).toContain('a request may read 8388608 bytes')
})
