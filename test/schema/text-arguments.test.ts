import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isLeafType,
  isListType,
  isObjectType,
} from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { schema } from '../../schema/index.ts'
import { withRequestId } from '../support/clients/caller.ts'
import type { Item } from '../support/clients/client.ts'
import { ask } from '../support/clients/operations.ts'
import { addAssets, addProducts, newStore } from '../support/factories.ts'
import { type Input, isRequired, sampleOf } from '../support/samples.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()
let storeUuid: string

beforeAll(async () => {
  storeUuid = await newStore(gateway)
  await addProducts(withRequestId(gateway, 'the-request'), storeUuid, ['CODE-1'])
  await addAssets(gateway, storeUuid, ['asset-1 CODE-1'])
  const requirements = [{ code: 'image', kind: 'ASSET' }]
  await ask(gateway, 'setChannelRequirements', { storeUuid, channel: 'SMP', requirements })
})

/** Where an object of each type is that has fields with arguments. */
const openings: Record<string, [before: string, after: string]> = {
  Query: ['', ''],
  Mutation: ['', ''],
  Subscription: ['', ''],
  Store: ['store(storeUuid: $storeUuid) {', '}'],
  Product: ['store(storeUuid: $storeUuid) { product(productCode: "CODE-1") {', '} }'],
  Change: ['store(storeUuid: $storeUuid) { product(productCode: "CODE-1") { changes(first: 1) { nodes {', '} } } }'],
  RequestReceipt: ['request(storeUuid: $storeUuid, requestId: "the-request") {', '}'],
  StoreReadiness: ['store(storeUuid: $storeUuid) { readiness(channel: "SMP") {', '} }'],
}

type Field = GraphQLField<unknown, unknown>
type Path = readonly (string | 0)[]

/** A text that a request can contain: at a path within an argument of a field. */
interface Place {
  name: string
  owner: string
  field: Field
  arg: GraphQLArgument
  path: Path
  input: Input
}

const objects = Object.values(schema.getTypeMap()).filter(
  (type): type is GraphQLObjectType => isObjectType(type) && !type.name.startsWith('__'),
)
const places = objects.flatMap((type) =>
  Object.values(type.getFields()).flatMap((field) =>
    field.args.flatMap((arg) =>
      textsIn(arg.type, arg).map(({ path, input }): Place => {
        const name = `${type.name}.${field.name}: ${[arg.name, ...path].join('.')}`
        return { name, owner: type.name, field, arg, path, input }
      }),
    ),
  ),
)

function textsIn(given: GraphQLInputType, input: Input, seen: readonly unknown[] = []): { path: Path; input: Input }[] {
  const type = getNullableType(given)
  if (isListType(type)) {
    return textsIn(type.ofType, input, seen).map(({ path, input }) => ({ path: [0, ...path], input }))
  }
  if (!isInputObjectType(type)) return ['String', 'ID'].includes(type.name) ? [{ path: [], input }] : []
  if (seen.includes(type)) return []
  return Object.values(type.getFields()).flatMap((field) =>
    textsIn(field.type, field, [...seen, type]).map(({ path, input }) => ({ path: [field.name, ...path], input })),
  )
}

/** The value of an argument with the text at the path. */
function valueWith(given: GraphQLInputType, [key, ...rest]: Path, text: string): unknown {
  const type = getNullableType(given)
  if (isListType(type)) return [valueWith(type.ofType, rest, text)]
  if (!isInputObjectType(type) || typeof key !== 'string') return text
  const fields = type.getFields()
  const others = Object.values(fields).filter(isRequired)
  const known = Object.fromEntries(others.map((each) => [each.name, sampleOf(each, storeUuid)]))
  return { ...known, [key]: valueWith((fields[key] as GraphQLInputField).type, rest, text) }
}

/** The answer to a request with the text. A mutation is a dry run, if it can be. */
async function send({ owner, field, arg, path }: Place, text: string) {
  const given: Item = {}
  for (const each of field.args) {
    if (each === arg) given[each.name] = valueWith(each.type, path, text)
    else if (isRequired(each)) given[each.name] = sampleOf(each, storeUuid)
    else if (each.name === 'dryRun') given[each.name] = true
  }
  const [before, after] = openings[owner] ?? []
  if (before === undefined) throw new Error(`there is no way to ${owner}`)
  const variables: Item = {
    storeUuid,
    ...Object.fromEntries(Object.entries(given).map(([name, value]) => [`v_${name}`, value])),
  }
  const declared = field.args.filter(({ name }) => name in given).map(({ name, type }) => `$v_${name}: ${type}`)
  const passed = Object.keys(given).map((name) => `${name}: $v_${name}`)
  const needsStore = before.includes('$storeUuid')
  const operation = ['Mutation', 'Subscription'].includes(owner) ? owner.toLowerCase() : 'query'
  const headers = { accept: operation === 'subscription' ? 'text/event-stream' : 'application/json' }
  const header = [...declared, ...(needsStore ? ['$storeUuid: ID!'] : [])].join(', ')
  const document = `${operation} (${header}) { ${before} ${field.name}(${passed.join(', ')}) ${leavesOf(field)} ${after} }`
  if (!needsStore) delete variables.storeUuid
  return gateway.post(document, { variables, headers })
}

function leavesOf({ type }: Pick<Field, 'type'>, levels = 1): string {
  const of = getNamedType(type)
  if (isLeafType(of)) return ''
  const fields = isObjectType(of) ? Object.values(of.getFields()).filter(({ args }) => args.length === 0) : []
  const selected = fields.filter(({ type }) => isLeafType(getNamedType(type)) || levels > 0)
  return `{ __typename ${selected.map((field) => `${field.name} ${leavesOf(field, levels - 1)}`).join(' ')} }`
}

/** A file has as many characters as a request body. A malformed id is no node, however long it is. */
const bounded = places.filter(
  ({ name }) => !['Mutation.startImport: input.content', 'Query.nodes: ids.0'].includes(name),
)
/** Codes and ids that are only looked up: for one that cannot be stored nothing is found. */
const lookups = [
  'Mutation.deleteProducts: productCodes.0',
  'Mutation.revokeToken: tokenId',
  'Query.asset: assetId',
  'Query.job: id',
  'Query.nodes: ids.0',
  'Query.request: requestId',
  'Query.store: storeUuid',
  'Store.assets: filter.ids.0',
  'Store.product: productCode',
  'Subscription.job: id',
]

describe('a text in an argument', () => {
  it.each(places)('is refused if PostgreSQL cannot store it: $name', async (place) => {
    for (const text of ['\0', 'a\ud800'])
      await (isLookup(place) ? expectNothing(place, text) : expectRefused(place, text))
  })

  it.each(bounded)('has a maximum: $name', async (place) => {
    await expectRefused(place, 'x'.repeat(70_000))
  })
})

function isLookup({ name }: Place): boolean {
  return lookups.includes(name) || name.endsWith(': filter.codes.0')
}

async function expectNothing(place: Place, text: string) {
  const { status, text: answer } = await send(place, text)
  expect(status, answer).toBe(200)
  expect(answer).not.toContain('"errors"')
}

/** An error names the argument. What the catalogue validates can be the failure of an item instead. */
async function expectRefused(place: Place, text: string) {
  const { status, json, text: answer } = await send(place, text)
  const [error] = json.errors ?? []
  expect(status, answer).toBeLessThan(500)
  expect(answer.length).toBeLessThan(10_000 + 4 * text.length)
  if (!error && isItem(place)) {
    expect(answer).toMatch(/"reason":"invalid_request"|"failedProducts":\[\{|"unavailableSkus":\["/)
    return
  }
  const name = [place.arg.name, ...place.path].findLast((key) => typeof key === 'string')
  // A token's unknown stores are reported with its other faults.
  const code = name === 'stores' ? 'store_not_found' : 'invalid_request'
  expect(error, answer).toMatchObject({ extensions: { code } })
  const field = error?.extensions.errorInfo?.[0]?.field
  expect(`${field}`, answer).toContain(name)
}

/** Whether the text is of an item that fails alone. */
function isItem({ arg }: Place): boolean {
  return /^\[(NewAsset|AssetPlacement|ProductPatch)!\]!$/.test(String(arg.type))
}
