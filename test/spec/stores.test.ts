import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Item, Outcome } from '../support/clients/client.ts'
import { ask, attempt } from '../support/clients/operations.ts'
import { outcomeOf } from '../support/clients/rest-client.ts'
import { addAssets, countStores, define, newStore, storeBody, unknownStore } from '../support/factories.ts'
import type { TestGateway } from '../support/servers/gateway.ts'
import { graphql, requirements, rest } from './requirement.ts'

const lowerCaseUuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const astral = '𝒳'

requirements('POST /stores', (gateway) => ({
  'STORES-01 MUST answer with store_uuid and store_group, both strings, and nothing else': async (client) => {
    const outcome = await client.createStore(storeBody())
    expect(outcome).toEqual({ data: { store_uuid: expect.any(String), store_group: expect.any(String) } })
  },
  'STORES-02 MUST keep every field as it was given': async (client) => {
    const given = {
      store_name: 'Åsa’s 店 𝒳',
      store_taxonomy: 'brand',
      region: ['Middle East', 'India'],
      channels: ['channel_value_37', 'SMP'],
      default_automation: ['service-1', 'SEO_Automations'],
      store_website: 'https://example.com/ä?b=c#d',
    }
    expect(await stored(gateway, await client.createStore(given))).toMatchObject({
      storeName: given.store_name,
      storeTaxonomy: given.store_taxonomy,
      region: given.region,
      channels: given.channels,
      defaultAutomation: given.default_automation,
      storeWebsite: given.store_website,
    })
  },
  'STORES-03 MUST give the store a generated UUID of version 7 in lower case': async (client) => {
    const first = uuidOf(await client.createStore(storeBody()))
    const second = uuidOf(await client.createStore(storeBody()))
    expect(first).toMatch(lowerCaseUuid7)
    expect(second).toMatch(lowerCaseUuid7)
    expect(first).not.toBe(second)
  },
  ...Object.fromEntries(
    ['store_name', 'store_taxonomy', 'region', 'channels', 'default_automation'].map((field, i) => [
      `STORES-${String(i + 4).padStart(2, '0')} MUST refuse a store without ${field}, and one in which it is null`,
      {
        rest: async () => {
          for (const value of [undefined, null]) {
            const outcome = await post(gateway, storeBody({ [field]: value }))
            const details = expect.stringContaining(field)
            expect(outcome).toEqual({
              reason: 'invalid_request',
              entries: [{ reason: 'invalid_request', details, field }],
            })
          }
        },
        graphql: async () => {
          const name = field.replace(/_(\w)/, (_, letter) => letter.toUpperCase())
          const input = { storeName: 'x', storeTaxonomy: 'catalog', region: [], channels: [], defaultAutomation: [] }
          for (const value of [undefined, null]) {
            const outcome = await attempt(
              gateway,
              'createStore',
              { input: { ...input, [name]: value } },
              '{ storeUuid }',
            )
            const details = expect.stringContaining(name)
            expect(outcome).toMatchObject({ reason: 'invalid_request', entries: [{ details }] })
          }
        },
      },
    ]),
  ),
  'STORES-09 MUST refuse fields of another type, with one entry for each': rest(async () => {
    const body = { store_name: 1, store_taxonomy: [], region: 'Asia', channels: {}, default_automation: true }
    const { reason, entries = [] } = await post(gateway, { ...body, store_website: 5 })
    expect(reason).toBe('invalid_request')
    expect(entries.map(({ field }) => field)).toEqual([...Object.keys(body), 'store_website'])
  }),
  'STORES-10 MUST refuse a value that is no string within a list, naming its place': rest(async () => {
    const { entries } = await post(gateway, storeBody({ region: ['Asia', 1, null, ['Asia']] }))
    expect(entries).toMatchObject([{ field: 'region[1]' }, { field: 'region[2]' }, { field: 'region[3]' }])
  }),
  'STORES-11 MUST refuse a body that is no object': rest(async () => {
    for (const body of ['[]', '"a"', '1', 'null', 'true', `[${JSON.stringify(storeBody())}]`]) {
      expect(await post(gateway, body), body).toMatchObject({ reason: 'invalid_request' })
    }
  }),
  'STORES-12 MUST let two stores share a name': async (client) => {
    const body = storeBody()
    const [one, other] = [await client.createStore(body), await client.createStore(body)]
    expect(uuidOf(one)).not.toBe(uuidOf(other))
    expect(await countStores(gateway, body.store_name)).toBe(2)
  },
  'STORES-13 MUST accept a store_name of 1 and of 200 characters, counted as code points after trimming': async (
    client,
  ) => {
    for (const name of ['x', astral.repeat(200), `\t ${'é'.repeat(200)} \n`]) {
      const store = await stored(gateway, await client.createStore(storeBody({ store_name: name })))
      expect(store.storeName).toBe(name.trim())
    }
  },
  'STORES-14 MUST refuse a store_name of 0 and of 201 characters after trimming': async (client) => {
    for (const name of ['', ' \t\n\u00a0', 'x'.repeat(201), astral.repeat(201)]) {
      const outcome = await client.createStore(storeBody({ store_name: name }))
      expect(outcome).toMatchObject({ reason: 'invalid_request', entries: [{ field: 'store_name' }] })
    }
    const outcome = await client.createStore(storeBody({ store_name: 'a\0' }))
    expect(outcome).toMatchObject({ entries: [{ details: expect.stringContaining('without NUL') }] })
  },
  'STORES-15 MUST accept empty lists of region, channels and default_automation': async (client) => {
    const outcome = await client.createStore(storeBody({ region: [], channels: [], default_automation: [] }))
    expect(await stored(gateway, outcome)).toMatchObject({ region: [], channels: [], defaultAutomation: [] })
  },
  'STORES-16 MUST keep repeated values once, in order': async (client) => {
    const outcome = await client.createStore(
      storeBody({
        region: ['Europe', 'Asia', 'Europe', 'Africa', 'Asia'],
        channels: ['channel_value_2', 'SMP', 'channel_value_2'],
        default_automation: ['bulk_edit', 'bulk_edit'],
      }),
    )
    expect(await stored(gateway, outcome)).toMatchObject({
      region: ['Europe', 'Asia', 'Africa'],
      channels: ['channel_value_2', 'SMP'],
      defaultAutomation: ['bulk_edit'],
    })
  },
  'STORES-17 MUST name every bad value of every list in details, one entry each, and create nothing': async (
    client,
  ) => {
    const body = storeBody({
      store_taxonomy: 'Catalog',
      region: ['Atlantis', 'Asia', 'asia'],
      channels: ['smp', 'channel_value_38'],
      default_automation: ['Bulk_Edit', 'bulk_edit', ''],
    })
    const { reason, entries = [] } = await client.createStore(body)
    expect(reason).toBe('invalid_request')
    const named = ['Catalog', 'Atlantis', 'asia', 'smp', 'channel_value_38', 'Bulk_Edit', '']
    expect(entries.map(({ details }) => details)).toEqual(
      named.map((value) => expect.stringMatching(new RegExp(`got ${JSON.stringify(value)}`))),
    )
    expect(await countStores(gateway, body.store_name)).toBe(0)
  },
  'STORES-18 MUST take store_website as optional: left out, null, or any string up to 2,048 characters': async (
    client,
  ) => {
    const websites = [undefined, null, '', 'not a URL', astral.repeat(2048)]
    for (const website of websites) {
      const outcome = await client.createStore(storeBody({ store_website: website }))
      expect((await stored(gateway, outcome)).storeWebsite).toBe(website ?? null)
    }
  },
  'STORES-19 MUST refuse a store_website of 2,049 characters': async (client) => {
    for (const website of ['x'.repeat(2049), astral.repeat(2049)]) {
      const outcome = await client.createStore(storeBody({ store_website: website }))
      expect(outcome).toMatchObject({ reason: 'invalid_request', entries: [{ field: 'store_website' }] })
    }
  },
  'STORES-20 MUST refuse text that cannot be stored unchanged (NUL, a lone surrogate) and create nothing': async (
    client,
  ) => {
    for (const bad of ['\0', '\ud800', '\udc00', 'a\ud83dz']) {
      const body = storeBody()
      const name = await client.createStore({ ...body, store_name: `${body.store_name}${bad}` })
      const website = await client.createStore({ ...body, store_website: bad })
      expect(name).toMatchObject({ reason: 'invalid_request', entries: [{ field: 'store_name' }] })
      expect(website).toMatchObject({ reason: 'invalid_request', entries: [{ field: 'store_website' }] })
      expect(await countStores(gateway, body.store_name)).toBe(0)
    }
  },
  'STORES-21 MUST ignore unknown body fields, and fields that a __proto__ object would lend': rest(async () => {
    const mine = unknownStore()
    const fields = { store_uuid: mine, store_group: mine, created_at: '2000-01-01', extra: { a: [1] } }
    const made = await post(gateway, storeBody(fields))
    expect([uuidOf(made), groupOf(made)]).not.toContain(mine)
    const lent = `{"__proto__":${JSON.stringify(storeBody())}}`
    const { reason, entries } = await post(gateway, lent)
    expect([reason, entries?.length]).toEqual(['invalid_request', 5])
  }),
  'STORES-22 MUST begin a group of its own without linked_store_id': async (client) => {
    const [one, other] = [await client.createStore(storeBody()), await client.createStore(storeBody())]
    expect(groupOf(one)).not.toBe(groupOf(other))
  },
  "STORES-23 MUST join the linked store's store_group, whatever the case of its UUID": async (client) => {
    const first = await client.createStore(storeBody())
    const uuid = uuidOf(first)
    for (const linked of [uuid, uuid.toUpperCase()]) {
      const outcome = await client.createStore(storeBody(), { linked_store_id: linked })
      expect(groupOf(outcome)).toBe(groupOf(first))
    }
  },
  'STORES-24 MUST join the group also through a store that joined it': async (client) => {
    const first = await client.createStore(storeBody())
    const second = await client.createStore(storeBody(), { linked_store_id: uuidOf(first) })
    const third = await client.createStore(storeBody(), { linked_store_id: uuidOf(second) })
    expect(groupOf(third)).toBe(groupOf(first))
  },
  "STORES-25 MUST show a store's linkedStores: the group's other stores": graphql(async () => {
    const first = await newStore(gateway)
    await newStore(gateway)
    const second = await newStore(gateway, {}, `?linked_store_id=${first}`)
    const third = await newStore(gateway, {}, `?linked_store_id=${second}`)
    expect(await linkedTo(gateway, first)).toEqual([second, third])
    expect(await linkedTo(gateway, second)).toEqual([first, third])
    expect(await linkedTo(gateway, third)).toEqual([first, second])
  }),
  'STORES-26 MUST have no linkedStores when it is alone in its group': graphql(async () => {
    expect(await linkedTo(gateway, await newStore(gateway))).toEqual([])
  }),
  'STORES-27 MUST take an empty linked_store_id and the word null as absent': {
    rest: async () => {
      const first = await post(gateway, storeBody())
      for (const absent of ['linked_store_id=', 'linked_store_id', 'linked_store_id=null']) {
        const outcome = await post(gateway, storeBody(), `?${absent}`)
        expect(groupOf(outcome), absent).not.toBe(groupOf(first))
        const copying = await post(gateway, storeBody(), `?copy_taxonomy=true&${absent}`)
        expect(copying, absent).toMatchObject({ reason: 'invalid_request' })
      }
    },
    graphql: async () => {
      const input = { storeName: 'x', storeTaxonomy: 'brand', region: [], channels: [], defaultAutomation: [] }
      const outcome = await attempt(gateway, 'createStore', { input, linkedStoreId: null }, '{ storeGroup }')
      expect(outcome).toEqual({ data: { store_group: expect.any(String) } })
    },
  },
  'STORES-28 MUST answer store_not_found for an unknown linked_store_id, also one that is no UUID, and create nothing':
    async (client) => {
      const body = storeBody()
      for (const linked of [unknownStore(), 'no-uuid', 'NULL', '0', `${await newStore(gateway)} `, "' or 1=1"]) {
        const outcome = await client.createStore(body, { linked_store_id: linked })
        expect(outcome, linked).toMatchObject({ reason: 'store_not_found', entries: [{}] })
      }
      expect(await countStores(gateway, body.store_name)).toBe(0)
    },
  'STORES-29 MUST say what is invalid before that the linked store is unknown': async (client) => {
    const outcome = await client.createStore(storeBody({ region: ['Atlantis'] }), { linked_store_id: unknownStore() })
    expect(outcome).toMatchObject({ reason: 'invalid_request', entries: [{ field: 'region[0]' }] })
  },
  'STORES-39 MUST refuse a linked_store_id or store_uuid that could not be stored unchanged': async (client) => {
    const linked = await client.createStore(storeBody(), { linked_store_id: '\0' })
    expect(linked).toMatchObject({ reason: 'invalid_request', entries: [{ field: 'linked_store_id' }] })
    for (const outcome of [await client.listAssets({ store_uuid: '\0' }), await client.updateProducts('\0', [])]) {
      expect(outcome).toMatchObject({ reason: 'invalid_request', entries: [{ field: 'store_uuid' }] })
    }
  },
  "STORES-30 MUST copy the linked store's attribute definitions with copy_taxonomy=true": async (client) => {
    const [linked, definitions] = await storeWithDefinitions(gateway)
    const outcome = await client.createStore(storeBody(), { linked_store_id: linked, copy_taxonomy: true })
    expect(await definitionsOf(gateway, uuidOf(outcome))).toEqual(definitions)
  },
  'STORES-31 MUST copy no definitions by default, nor with copy_taxonomy=false': async (client) => {
    const [linked] = await storeWithDefinitions(gateway)
    for (const copy of [undefined, false]) {
      const outcome = await client.createStore(storeBody(), { linked_store_id: linked, copy_taxonomy: copy })
      expect(await definitionsOf(gateway, uuidOf(outcome))).toEqual([])
    }
  },
  'STORES-32 MUST copy the definitions as they are then: later changes of either store do not reach the other': async (
    client,
  ) => {
    const [linked, definitions] = await storeWithDefinitions(gateway)
    const copy = uuidOf(await client.createStore(storeBody(), { linked_store_id: linked, copy_taxonomy: true }))
    await define(gateway, linked, [{ name: 'Later', type: 'TEXT' }])
    expect(await definitionsOf(gateway, copy)).toEqual(definitions)
    await define(gateway, copy, [{ name: 'Size', type: 'TEXT' }])
    expect(await definitionsOf(gateway, linked)).toContainEqual(definitions.find(({ name }) => name === 'Size'))
  },
  'STORES-33 MUST refuse copy_taxonomy=true without linked_store_id': async (client) => {
    const body = storeBody()
    const outcome = await client.createStore(body, { copy_taxonomy: true })
    expect(outcome).toMatchObject({ reason: 'invalid_request', entries: [{}] })
    expect(await countStores(gateway, body.store_name)).toBe(0)
  },
  'STORES-34 MUST take true and 1, false and 0 as booleans, and an empty one as the default': rest(async () => {
    const [linked, definitions] = await storeWithDefinitions(gateway)
    const copied = { true: definitions.length, 1: definitions.length, false: 0, 0: 0, '': 0 }
    for (const [word, count] of Object.entries(copied)) {
      const outcome = await post(gateway, storeBody(), `?copy_taxonomy=${word}&linked_store_id=${linked}`)
      expect(await definitionsOf(gateway, uuidOf(outcome)), word).toHaveLength(count)
    }
  }),
  'STORES-35 MUST refuse any other boolean': rest(async () => {
    for (const word of ['TRUE', 'False', 'yes', 'no', '2', '-1', 'null', '01', 'true+', '%20true']) {
      const outcome = await post(gateway, storeBody(), `?copy_taxonomy=${word}`)
      expect(outcome, word).toMatchObject({ reason: 'invalid_request', entries: [{ field: 'copy_taxonomy' }] })
    }
  }),
  'STORES-36 MUST match a store UUID in any case and answer it in lower case': async (client) => {
    const store = await newStore(gateway)
    await addAssets(gateway, store, [['a', 'P']])
    const upper = store.toUpperCase()
    expect(await client.listAssets({ store_uuid: upper })).toMatchObject({ data: { groups: [{ store_uuid: store }] } })
    expect(await client.updateProducts(upper, [])).toMatchObject({ data: { store_uuid: store } })
    const unlinked = await client.unlinkAssets([{ store_uuid: upper, parent_code: 'P', channel: 'SMP' }])
    expect(unlinked).toMatchObject({ data: { unlinked: 1 } })
    const deleted = await client.deleteAssets([{ store_uuid: upper, asset_id: ['a'] }])
    expect(deleted).toMatchObject({ data: { deleted_count: 1 } })
  },
  'STORES-37 MUST take a string that is no UUID for a store that does not exist': async (client) => {
    for (const uuid of ['no-uuid', '1', `{${randomUUID()}}`, `urn:uuid:${randomUUID()}`, randomUUID().slice(1), "'"]) {
      expect(await client.listAssets({ store_uuid: uuid }), uuid).toMatchObject({ reason: 'store_not_found' })
      expect(await client.updateProducts(uuid, []), uuid).toMatchObject({ reason: 'store_not_found' })
    }
  },
  'STORES-38 MUST find a store by its UUID in any case, and null where there is none': graphql(async () => {
    const store = await newStore(gateway)
    const find = (storeUuid: string) => ask(gateway, 'store', { storeUuid }, '{ storeUuid }')
    expect(await find(store.toUpperCase())).toEqual({ storeUuid: store })
    for (const uuid of [unknownStore(), 'no-uuid', '', '\0', '\ud800'])
      expect(await find(uuid), JSON.stringify(uuid)).toBeNull()
  }),
}))

async function post(gateway: TestGateway, body: unknown, search = ''): Promise<Outcome> {
  return outcomeOf(await gateway.call(`/v1/stores${search}`, { method: 'POST', body }))
}

function uuidOf(outcome: Outcome): string {
  expect(outcome).toMatchObject({ data: { store_uuid: expect.any(String) } })
  return (outcome.data as { store_uuid: string }).store_uuid
}

function groupOf(outcome: Outcome): string {
  expect(outcome).toMatchObject({ data: { store_group: expect.any(String) } })
  return (outcome.data as { store_group: string }).store_group
}

/** The store that an outcome tells of, as GraphQL reads it. */
async function stored(gateway: TestGateway, outcome: Outcome): Promise<Item> {
  const selection = '{ storeName storeTaxonomy region channels defaultAutomation storeWebsite }'
  return ask(gateway, 'store', { storeUuid: uuidOf(outcome) }, selection)
}

async function linkedTo(gateway: TestGateway, storeUuid: string): Promise<unknown[]> {
  const found = await ask<{ linkedStores: Item[] }>(gateway, 'store', { storeUuid }, '{ linkedStores { storeUuid } }')
  return found.linkedStores.map((store) => store.storeUuid)
}

/** A store with a definition of each kind, and what they are, in the order of their names. */
async function storeWithDefinitions(gateway: TestGateway): Promise<[storeUuid: string, definitions: Item[]]> {
  const storeUuid = await newStore(gateway)
  const definitions = [
    { name: 'Color', type: 'ENUM', allowedValues: ['red', 'a "b"'], maxLength: null, pattern: null },
    { name: 'Size', type: 'NUMBER', allowedValues: null, maxLength: 4, pattern: '[0-9]+' },
    { name: '__proto__', type: 'DATE', allowedValues: null, maxLength: null, pattern: null },
  ]
  await define(gateway, storeUuid, definitions)
  return [storeUuid, definitions]
}

async function definitionsOf(gateway: TestGateway, storeUuid: string): Promise<Item[]> {
  const selection = '{ attributeDefinitions { name type allowedValues maxLength pattern } }'
  return (await ask<{ attributeDefinitions: Item[] }>(gateway, 'store', { storeUuid }, selection)).attributeDefinitions
}
