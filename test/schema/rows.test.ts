import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { noCounts } from '../../src/import/position.ts'
import { addChange } from '../catalogue/changes/ledger-rows.ts'
import { ask } from '../support/clients/operations.ts'
import { addAssets, addProducts, define, newStore, unknownStore } from '../support/factories.ts'
import { needsPrimary } from '../support/needs-primary.ts'
import { useGateway } from '../support/servers/gateway.ts'
import { newToken } from '../support/tokens.ts'

const gateway = useGateway({
  // The statements of another thread could not be counted here.
  more: {
    mainThreadLimits: { bytes: Infinity, members: Infinity, cost: Infinity, isForLong: true, readBytes: Infinity },
  },
})

const read = async (field: string, variables: object, selection: string, given = 'limit: $limit') => {
  const limit = given.includes('$limit') ? ', $limit: Int' : ''
  const document = `query ($stores: [ID!]${limit}) { rows: ${field}(storeUuids: $stores, ${given}) { ${selection} } }`
  return ((await gateway.data(document, { ...variables })) as unknown as { rows: Record<string, unknown>[] }).rows
}

async function filledStore(name: string): Promise<string> {
  const store = await newStore(gateway, { store_name: name, channels: ['SMP', 'channel_value_2'] })
  await addProducts(gateway, store, ['A', 'B', { productCode: 'C', status: 'under review' }])
  await addAssets(gateway, store, [
    ['1', 'A', {}],
    ['2', 'B', {}],
    ['3', 'Z', { assetFormat: 'video' }],
  ])
  return store
}

describe('rows', () => {
  it('have the products of several stores by status, and the groups by channel and format', async () => {
    const stores = [await filledStore('one'), await filledStore('two')]
    const row = (i: number, rest: object) => ({ storeUuid: stores[i], storeName: ['one', 'two'][i], ...rest })
    expect(await read('statusRows', { stores }, 'storeUuid storeName status count')).toEqual(
      [0, 1].flatMap((i) => [row(i, { status: 'NEW', count: 2 }), row(i, { status: 'UNDER_REVIEW', count: 1 })]),
    )
    const selection = 'storeUuid storeName channel assetFormat groups products'
    expect(await read('coverageRows', { stores }, selection)).toEqual(
      [0, 1].flatMap((i) => [
        row(i, { channel: 'SMP', assetFormat: 'image', groups: 2, products: 3 }),
        row(i, { channel: 'SMP', assetFormat: 'video', groups: 1, products: 3 }),
        row(i, { channel: 'channel_value_2', assetFormat: 'image', groups: 0, products: 3 }),
      ]),
    )
    expect(await read('statusRows', { stores, limit: 3 }, 'storeName count')).toHaveLength(3)
  })

  it('have no group of a channel whose assets are deleted', async () => {
    const store = await filledStore('deleted')
    await ask(gateway, 'deleteAssets', { selectors: [{ storeUuid: store, assetId: ['3'] }] })
    expect(await read('coverageRows', { stores: [store] }, 'channel assetFormat groups')).toEqual([
      { channel: 'SMP', assetFormat: 'image', groups: 2 },
      { channel: 'channel_value_2', assetFormat: 'image', groups: 0 },
    ])
  })

  it('have the last changes of all stores, the newest first', async () => {
    const stores = [await newStore(gateway), await newStore(gateway)]
    const at = (i: number) => new Date(Date.now() + i * 1_000).toISOString()
    for (let i = 0; i < 6; i++) {
      const items: [string, string, string][] = Array.from({ length: i + 1 }, (_, n) => [`${n}`, 'Color', 'red'])
      await addChange(gateway.database.db, { store: stores[i % 2] ?? '', at: at(i), actor: `actor ${i}`, items })
    }
    const selection = 'storeUuid at actor via operation kind action items failed requestId'
    const rows = await read('changeRows', { stores, limit: 4 }, selection)
    expect(rows).toEqual(
      [5, 4, 3, 2].map((i) => ({
        storeUuid: stores[i % 2],
        at: expect.any(String),
        actor: `actor ${i}`,
        ...{ via: 'REST', operation: 'updateProducts', kind: 'PRODUCT', action: 'UPDATED', items: i + 1, failed: 0 },
        requestId: 'request',
      })),
    )
  })

  it('have the last jobs, and what they refused', async () => {
    const store = await newStore(gateway)
    const problems = [2, 3].map((row) => ({
      row,
      line: row + 1,
      productCode: 'P',
      field: 'status',
      reason: `bad ${row}`,
    }))
    const ended = { kind: 'import' as const, options: '{}', attempt: 1, finished_at: new Date() }
    const jobs = [
      { state: 'succeeded' as const, counts: { ...noCounts, rows: 9, created: 7, failed: 2 }, problems, error: null },
      { state: 'failed' as const, counts: noCounts, problems: [], error: 'cannot be read' },
    ]
    const ids: string[] = []
    for (const [i, { counts, problems, ...job }] of jobs.entries()) {
      const job_id = `01a1fdce-0000-7000-8000-00000000000${i}`
      ids.push(job_id)
      const values = { store_uuid: store, job_id, ...ended, ...job }
      const json = { counts: JSON.stringify(counts), problems: JSON.stringify(problems) }
      await gateway.database.db
        .insertInto('job')
        .values({ ...values, ...json, created_at: new Date(Date.UTC(2026, 0, i + 1)) })
        .execute()
    }
    const selection = 'jobId kind state rows created failed error'
    expect(await read('jobRows', { stores: [store] }, selection)).toEqual([
      { jobId: ids[1], kind: 'IMPORT', state: 'FAILED', rows: 0, created: 0, failed: 0, error: 'cannot be read' },
      { jobId: ids[0], kind: 'IMPORT', state: 'SUCCEEDED_WITH_FAILURES', rows: 9, created: 7, failed: 2, error: null },
    ])
    expect(await read('failureRows', { stores: [store] }, 'jobId row line productCode field reason')).toEqual([
      { jobId: ids[1], row: null, line: null, productCode: null, field: null, reason: 'cannot be read' },
      ...problems.map((problem) => ({ jobId: ids[0], ...problem })),
    ])
  })

  it('are of all stores of a limited token where none is named, and of no other', async () => {
    const [own] = [await filledStore('own'), await filledStore('foreign')]
    const { secret } = await newToken(gateway, { scopes: ['READ'], stores: [own] })
    const query =
      '{ statusRows { storeUuid } coverageRows { storeUuid } changeRows { storeUuid } options(of: STORES) { value } }'
    const reply = await gateway.call('/graphql', { method: 'POST', body: { query }, token: secret })
    const { data } = reply.json as { data: Record<string, { storeUuid?: string; value?: string }[]> }
    for (const [field, rows] of Object.entries(data)) {
      expect(new Set(rows.map(({ storeUuid, value }) => storeUuid ?? value)), field).toEqual(new Set([own]))
    }
  })

  it.each(['statusRows', 'coverageRows', 'changeRows', 'jobRows', 'failureRows'])(
    '%s are refused over their bounds',
    async (field) => {
      const code = async (variables: object) => {
        const document = `query ($stores: [ID!], $limit: Int) { rows: ${field}(storeUuids: $stores, limit: $limit) { storeUuid } }`
        const { errors } = await gateway.graphql(document, { ...variables })
        return errors?.[0]?.extensions.code
      }
      const stores = [await newStore(gateway)]
      expect(await code({ stores, limit: 0 })).toBe('invalid_request')
      expect(await code({ stores, limit: 10_001 })).toBe('invalid_request')
      expect(await code({ stores: [unknownStore()] })).toBe('store_not_found')
      expect(await code({ stores: ['no UUID'] })).toBe('store_not_found')
      expect(await code({ stores: Array(101).fill(stores[0]) })).toBe('invalid_request')
      expect(await code({ stores, limit: 10_000 })).toBeUndefined()
    },
  )

  it('are read by a statement for each store, after one for the stores', async (test) => {
    needsPrimary(test, 'its statements are counted')
    const stores = await Promise.all([1, 2, 3, 4, 5].map((i) => filledStore(`store ${i}`)))
    for (const [field, perStore] of Object.entries({
      statusRows: 1,
      coverageRows: 2,
      changeRows: 1,
      jobRows: 1,
      failureRows: 1,
    })) {
      gateway.database.statements()
      await read(field, { stores: [...stores, ...stores] }, 'storeUuid')
      expect(gateway.database.statements(), field).toBe(1 + 5 * perStore)
    }
  })

  it('of more than 100 stores need their names, as a list of products does', async (test) => {
    needsPrimary(test, 'writes go past the client')
    await sql`insert into store (store_uuid, store_group, store_name, store_taxonomy, region, channels, default_automation)
      select gen_random_uuid(), gen_random_uuid(), 'Shop', 'catalog', '{}', '{}', '{}' from generate_series(1, 101)`.execute(
      gateway.database.db,
    )
    for (const query of ['{ statusRows { count } }', '{ products { totalCount } }']) {
      const { errors } = await gateway.graphql(query)
      expect(errors).toMatchObject([{ extensions: { code: 'invalid_request' } }])
      expect(errors?.[0]?.message).toBe(
        'storeUuids is required: the token has access to more than 100 stores; give at most 100',
      )
    }
    const { options } = await gateway.data('{ options(of: STORES, search: "shop") { text } }')
    expect(options).toHaveLength(101)
    const { rows } = await sql`delete from store where store_name = 'Shop' returning 1`.execute(gateway.database.db)
    expect(rows).toHaveLength(101)
  })
})

describe('options', () => {
  const options = (of: string, more: object = {}) =>
    read('options', more, 'text value', `of: ${of}`) as Promise<{ text: string; value: string }[]>

  it('are the values of each kind, each once and in alphabetical order', async () => {
    const stores = [await filledStore('b store'), await filledStore('a store')]
    await define(gateway, stores[0] ?? '', [
      { name: 'Size', type: 'TEXT' },
      { name: 'Color', type: 'TEXT' },
    ])
    await addChange(gateway.database.db, { store: stores[0] ?? '', actor: 'Ann', operation: 'import' })
    const texts = async (of: string) => (await options(of, { stores })).map(({ text }) => text)
    expect(await options('STORES', { stores })).toEqual([
      { text: 'a store', value: stores[1] },
      { text: 'b store', value: stores[0] },
    ])
    expect(await texts('CHANNELS')).toEqual(['channel_value_2', 'SMP'])
    expect(await texts('FORMATS')).toEqual(['3D', 'image', 'pdf', 'text', 'video'])
    expect(await options('STATUSES', { stores })).toContainEqual({ text: 'under review', value: 'UNDER_REVIEW' })
    expect(await texts('ATTRIBUTES')).toEqual(['Color', 'Size'])
    expect(await texts('OPERATIONS')).toEqual(expect.arrayContaining(['defineAttributes', 'import', 'upsertProducts']))
    expect(await texts('ACTORS')).toContain('Ann')
    expect(await read('options', { stores }, 'text', 'of: ATTRIBUTES, search: "OL"')).toEqual([{ text: 'Color' }])
  })
})

it('closed sets of REST are enums too, and the scalars say where they are specified', async () => {
  const store = await newStore(gateway, {
    region: ['Middle East'],
    default_automation: ['service-1', 'SMP_image_upsert'],
  })
  const document = `query ($store: ID!) {
    store(storeUuid: $store) { region regions defaultAutomation automations }
    url: __type(name: "URL") { specifiedByURL } time: __type(name: "DateTime") { specifiedByURL }
  }`
  expect(await gateway.data(document, { store })).toEqual({
    store: {
      region: ['Middle East'],
      regions: ['MIDDLE_EAST'],
      defaultAutomation: ['service-1', 'SMP_image_upsert'],
      automations: ['SERVICE_1', 'SMP_IMAGE_UPSERT'],
    },
    url: { specifiedByURL: 'https://url.spec.whatwg.org' },
    time: { specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html' },
  })
  const deleting = 'mutation ($id: ID!) { deleteAssets(selectors: { storeUuid: $id }) { errorInfo { reason code } } }'
  expect(await gateway.data(deleting, { id: store })).toEqual({
    deleteAssets: { errorInfo: [{ reason: 'selector_required', code: 'SELECTOR_REQUIRED' }] },
  })
})
