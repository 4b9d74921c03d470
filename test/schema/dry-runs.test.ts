import { type GraphQLField, getNamedType, isInterfaceType, isLeafType, isObjectType, isRequiredArgument } from 'graphql'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { schema } from '../../schema/index.ts'
import { withRequestId } from '../support/clients/caller.ts'
import type { Item } from '../support/clients/client.ts'
import { ask, documentOf } from '../support/clients/operations.ts'
import { addAssets, addProducts, define, newStore } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'
import { newToken } from '../support/tokens.ts'

const gateway = useGateway()
const requestId = 'a request to revert'
let args: Record<string, Item>

/** Arguments of each mutation with which it changes something, if it is no dry run. */
function argumentsOf(storeUuid: string, tokenId: string, jobId: string, webhookId: string): Record<string, Item> {
  const group = { storeUuid, parentCode: 'A' }
  const url = 'https://cdn.example/new.jpg'
  const store = {
    storeName: 'T',
    storeTaxonomy: 'catalog',
    region: ['Europe'],
    channels: ['SMP'],
    defaultAutomation: [],
  }
  return {
    addAssets: { storeUuid, assets: [{ parentCode: 'A', url }] },
    createProducts: { storeUuid, products: [{ productCode: 'new', attributes: { color: 'red', 'Image URL 1': url } }] },
    createStore: { input: store, linkedStoreId: storeUuid, copyTaxonomy: true },
    createWebhook: { storeUuid, input: { url } },
    createToken: { input: { name: 'new', scopes: ['READ'] } },
    defineAttributes: {
      storeUuid,
      definitions: [
        { name: 'color', type: 'NUMBER', filterable: true },
        { name: 'text', type: 'TEXT', searchable: true },
      ],
    },
    deleteAssets: { selectors: [group] },
    deleteJob: { jobId },
    deleteWebhook: { id: webhookId },
    deleteProducts: { storeUuid, productCodes: ['A', 'B'] },
    moveAsset: { ...group, assetId: '1', position: 2 },
    placeAssets: { storeUuid, groups: [{ parentCode: 'A', assets: { 'Image URL 1': url } }] },
    removeAttributeDefinitions: { storeUuid, names: ['size'] },
    reorderAssets: { ...group, assetIds: ['2', '1'] },
    replayWebhook: { id: webhookId, from: '2026-01-01T00:00:00Z' },
    retryWebhook: { id: webhookId },
    revertRequest: { storeUuid, requestId },
    rotateWebhookSecret: { id: webhookId },
    skipWebhookEvent: { id: webhookId },
    testWebhook: { id: webhookId },
    updateWebhook: { id: webhookId, input: { url: `${url}?` } },
    revokeToken: { tokenId },
    setChannelRequirements: { storeUuid, channel: 'SMP', requirements: [{ code: 'image', kind: 'ASSET', minimum: 1 }] },
    unlinkAssets: { links: [{ ...group, channel: 'SMP' }] },
    updateProducts: { storeUuid, products: [{ productCode: 'A', status: 'active', attributes: { color: 'blue' } }] },
    updateStore: { storeUuid, input: { storeName: 'renamed' } },
    upsertProducts: { storeUuid, products: ['A', 'new'].map((productCode) => ({ productCode, status: 'active' })) },
  }
}

beforeAll(async () => {
  const storeUuid = await newStore(gateway)
  const product = (productCode: string, size: string) => ({
    productCode,
    attributes: { color: 'red', size, text: 't' },
  })
  await define(gateway, storeUuid, [{ name: 'size', type: 'TEXT', filterable: true, searchable: true }])
  await addProducts(gateway, storeUuid, [product('A', 'S'), product('B', 'M')])
  await addAssets(gateway, storeUuid, ['1 A', '2 A', '3 B'])
  await addProducts(withRequestId(gateway, requestId), storeUuid, [product('A', 'L'), product('C', 'L')])
  const { tokenId } = await newToken(gateway, { scopes: ['READ'] })
  const { jobId } = await ask<{ jobId: string }>(gateway, 'startExport', { storeUuid }, '{ jobId }')
  const made = { storeUuid, input: { url: 'https://hook.example' } }
  const { webhook } = await ask<{ webhook: { webhookId: string } }>(gateway, 'createWebhook', made)
  const { webhookId } = webhook
  await ask(gateway, 'updateWebhook', { id: webhookId, input: { enabled: false } })
  args = argumentsOf(storeUuid, tokenId, jobId, webhookId)
  // The job ends, and so does what these writes cause in the background.
  let last: unknown
  await vi.waitFor(
    async () => {
      const before = last
      last = await contents()
      expect(last).toEqual(before)
      expect(await ask(gateway, 'job', { id: jobId }, '{ state }')).toEqual({ state: 'SUCCEEDED' })
    },
    { interval: 1_000, timeout: 90_000 },
  )
})

/** The rows of each table, as a hash, without what is written by the clock. */
async function contents() {
  const { rows: tables } = await sql<{ name: string }>`
    select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = relnamespace
    where relkind in ('r', 'p') and not relispartition and nspname in (current_schema, 'job_queue')
      and relname not in ('queue', 'version', 'measure')
    order by name`.execute(gateway.database.db)
  const parts = tables.map(
    ({ name }) => sql`select ${name} as name, md5(string_agg(t::text, e'\n' order by t::text)) from ${sql.raw(name)} t`,
  )
  const { rows } = await sql<{ name: string; md5: string }>`${sql.join(parts, sql` union all `)}`.execute(
    gateway.database.db,
  )
  return Object.fromEntries(rows.map(({ name, md5 }) => [name, md5]))
}

type Field = GraphQLField<unknown, unknown>

/** The values of required arguments of fields in payloads. */
const values: Record<string, unknown> = {
  channel: 'SMP',
  from: '2026-01-01T00:00:00Z',
  name: 'color',
  names: ['color'],
  productCode: 'A',
}

/** The fields of a payload, each alone, down to some levels; the objects below these have their leaves. */
function selectionsOf({ type }: Field, levels: number): string[] {
  const of = getNamedType(type)
  if (isLeafType(of)) return ['']
  if (!isObjectType(of) && !isInterfaceType(of)) throw new Error(`${of} is neither a leaf nor an object`)
  const fields = Object.values(of.getFields())
  if (levels === 0) return [`{ ${['__typename', ...fields.filter(isPlainLeaf).map(({ name }) => name)].join(' ')} }`]
  return fields.flatMap((field) =>
    selectionsOf(field, levels - 1).map((selection) => `{ ${callOf(field)} ${selection} }`),
  )
}

const isPlainLeaf = ({ type, args }: Field) => isLeafType(getNamedType(type)) && args.length === 0

function callOf({ name, args }: Field): string {
  const given = args.filter(isRequiredArgument).map((arg) => `${arg.name}: ${JSON.stringify(values[arg.name])}`)
  return given.length > 0 ? `${name}(${given.join(', ')})` : name
}

const mutations = Object.values(schema.getMutationType()?.getFields() ?? {})
const withDryRun = mutations.filter(({ args }) => args.some(({ name }) => name === 'dryRun'))

describe('a dry run', () => {
  it.each(withDryRun.map((field) => ({ name: field.name, field })))(
    'of $name writes nothing',
    async ({ name, field }) => {
      const before = await contents()
      const given = { ...args[name], dryRun: true }
      for (const selection of ['{ __typename }', ...selectionsOf(field, 2)]) {
        const document = documentOf(name, given, selection)
        await gateway.data(document, given)
      }
      expect(await contents()).toEqual(before)
    },
  )

  it('next to a write in one operation writes nothing', async () => {
    const storeUuid = await newStore(gateway)
    const document = `mutation ($s: ID!) {
      a: updateStore(storeUuid: $s, input: { storeName: "written" }) { attributeDefinitions { name } }
      b: defineAttributes(storeUuid: $s, definitions: [{ name: "size", type: TEXT, filterable: true }], dryRun: true) {
        name
      }
      c: updateStore(storeUuid: $s, input: { storeWebsite: "https://shop.example" }) { storeName }
    }`
    await gateway.data(document, { s: storeUuid })
    const stored = await ask(
      gateway,
      'store',
      { storeUuid },
      '{ storeName storeWebsite attributeDefinitions { name } }',
    )
    expect(stored).toEqual({ storeName: 'written', storeWebsite: 'https://shop.example', attributeDefinitions: [] })
  })
})
