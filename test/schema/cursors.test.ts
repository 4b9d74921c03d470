import { type GraphQLObjectType, isObjectType } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { cursorOfKey } from '../../schema/builder/lists.ts'
import { schema } from '../../schema/index.ts'
import { withRequestId } from '../support/clients/caller.ts'
import { ask } from '../support/clients/operations.ts'
import { settled } from '../support/database/changes.ts'
import { addAssets, addProducts, newStore } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()
let storeUuid: string

beforeAll(async () => {
  storeUuid = await newStore(gateway)
  const attributes = { color: 'red', size: 'L' }
  const products = ['A', 'B', 'C'].map((productCode) => ({ productCode, attributes }))
  await addProducts(withRequestId(gateway, 'a request'), storeUuid, products)
  await addAssets(gateway, storeUuid, ['1 A', '2 A', '3 B'])
  await ask(gateway, 'startExport', { storeUuid }, '{ jobId }')
  const requirements = [{ code: 'title', kind: 'ATTRIBUTE', attribute: 'title' }]
  await ask(gateway, 'setChannelRequirements', { storeUuid, channel: 'SMP', requirements })
})

const inStore = ['store(storeUuid: $storeUuid) {', '}'] as const
const inChange = [
  'store(storeUuid: $storeUuid) { product(productCode: "A") { changes(first: 1) { nodes {',
  '} } } }',
] as const
const orders = ['CODE', 'CREATED_AT', 'UPDATED_AT', 'STATUS'].flatMap((field) => [
  `orderBy: { field: ${field} }`,
  `orderBy: { field: ${field}, direction: DESC }`,
])
const byAttribute = ['color', 'size'].map((name) => `orderBy: { field: ATTRIBUTE, attribute: "${name}" }`)

interface Connection {
  /** What encloses the connection. */
  within: readonly [string, string]
  /** The arguments besides those of the page: cursors of one are not for another. */
  orders?: readonly string[]
  /** Cursors of connections of a family are positions in the same list. */
  family?: string
}

const connections: Record<string, Connection> = {
  'Query.stores': { within: ['', ''] },
  'Query.products': { within: ['', ''], orders },
  'Store.products': { within: inStore, orders: [...orders, ...byAttribute] },
  'Store.assets': { within: inStore },
  'Store.jobs': { within: inStore },
  'StoreReadiness.gaps': { within: ['store(storeUuid: $storeUuid) { readiness(channel: "SMP") {', '} }'] },
  'Store.changes': { within: inStore, family: 'ledger' },
  'Product.changes': {
    within: ['store(storeUuid: $storeUuid) { product(productCode: "A") {', '} }'],
    family: 'ledger',
  },
  'RequestReceipt.changes': {
    within: ['request(storeUuid: $storeUuid, requestId: "a request") {', '}'],
    family: 'ledger',
  },
  'Change.items': { within: inChange },
}

/** A connection in one of its orders. */
const lists = Object.entries(connections).flatMap(([name, { within, orders = [''], family }]) =>
  orders.map((order) => ({ name, order, within, family: family ?? `${name} ${order}` })),
)
type List = (typeof lists)[number]

/** The page after, or before, the variable `cursor`; the first one without a side. */
function documentOf({ name, order, within: [before, after] }: List, side = ''): string {
  const field = name.split('.')[1]
  const variables = [
    ...(before.includes('$storeUuid') ? ['$storeUuid: ID!'] : []),
    ...(side ? ['$cursor: String'] : []),
  ]
  const head = variables.length > 0 ? `query (${variables.join(', ')})` : ''
  const page = `first: 1, ${order} ${side && `${side}: $cursor`}`
  return `${head} { result: __typename ${before} ${field}(${page}) { edges { cursor } } ${after} }`
}

/** The cursors in an answer. */
function cursorsIn(answer: unknown): string[] {
  return [...JSON.stringify(answer).matchAll(/"cursor":"([^"]+)"/g)].map(([, cursor]) => cursor ?? '')
}

describe('a cursor', () => {
  it('is tried of every connection', () => {
    const objects = Object.values(schema.getTypeMap()).filter((type): type is GraphQLObjectType => isObjectType(type))
    // What a subscription begins after is a change, not a row of a page.
    const asked = objects.filter((type) => type !== schema.getSubscriptionType())
    const paged = asked.flatMap((type) =>
      Object.values(type.getFields())
        .filter(({ args }) => args.some(({ name, type }) => name === 'after' && String(type) === 'String'))
        .map((field) => `${type.name}.${field.name}`),
    )
    expect(paged.toSorted()).toEqual(Object.keys(connections).toSorted())
  })

  it('is refused by every other connection and order', async () => {
    await settled(gateway.database)
    const send = (list: List, side = '', cursor?: string) =>
      gateway.graphql(documentOf(list, side), { storeUuid, cursor })
    const cursors = new Map<List, string>()
    for (const list of lists) {
      await expect.poll(async () => cursorsIn(await send(list)), { message: documentOf(list) }).toHaveLength(1)
      cursors.set(list, cursorsIn(await send(list))[0] ?? '')
    }
    for (const list of lists) {
      for (const [from, cursor] of cursors) {
        const sides = /changes|items/.test(list.name) ? ['after'] : ['after', 'before']
        for (const side of sides) {
          const { errors } = await send(list, side, cursor)
          const title = `${from.name} ${from.order} as ${side} of ${list.name} ${list.order}`
          if (from.family === list.family) expect(errors, title).toBeUndefined()
          else
            expect(errors, title).toMatchObject([
              {
                extensions: {
                  code: 'invalid_request',
                  errorInfo: [{ field: side, details: expect.stringContaining(side) }],
                },
              },
            ])
        }
      }
    }
  })

  const times = ['2024-01-01T00:00:00+23:00', '0000-01-01T00:00:00.000000Z', '2024-02-30T00:00:00.000000Z', '2024']
  it.each(times)('is refused with the time %s, which no cursor has', async (time) => {
    for (const field of ['CREATED_AT', 'UPDATED_AT']) {
      const order = `${field === 'CREATED_AT' ? 'createdAt' : 'updatedAt'} desc`
      const lists = [
        ['store(storeUuid: $storeUuid) {', `products ${order}`, '', '}'],
        ['', `products of stores ${order}`, storeUuid, ''],
      ]
      for (const [before, name = '', prefix, after] of lists) {
        const cursor = cursorOfKey(name, `${prefix}${JSON.stringify([time, 'A'])}`)
        const page = `orderBy: { field: ${field}, direction: DESC }, after: "${cursor}"`
        const document = `query ($storeUuid: ID!) { store(storeUuid: $storeUuid) { storeUuid }
          result: __typename ${before} products(${page}) { edges { cursor } } ${after} }`
        const { errors } = await gateway.graphql(document, { storeUuid })
        expect(errors, name).toMatchObject([{ extensions: { code: 'invalid_request' } }])
      }
    }
  })
})

describe('a time', () => {
  it.each(['0000-01-01T00:00:00Z', '0001-01-01T00:00:00+23:59', '9999-12-31T23:59:59-23:59'])(
    'may be %s',
    async (at) => {
      const document = `query ($storeUuid: ID!, $at: DateTime!) { store(storeUuid: $storeUuid) {
      a: products(filter: { createdAt: { from: $at } }) { totalCount nodes { productCode } }
      b: products(filter: { updatedAt: { from: $at } }, orderBy: { field: UPDATED_AT, direction: DESC }) { totalCount }
      c: products(filter: { updatedAt: { to: $at } }, orderBy: { field: UPDATED_AT, direction: DESC }) { totalCount }
      d: products(filter: { createdAt: { to: $at } }) { totalCount }
    } }`
      expect((await gateway.graphql(document, { storeUuid, at })).errors).toBeUndefined()
    },
  )
})
