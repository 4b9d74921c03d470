import { expect, it } from 'vitest'
import { query, storeWithProducts } from '../../support/factories.ts'
import { useGateway } from '../../support/servers/gateway.ts'
import { type Given, setRequirements, settled } from '../readiness/support.ts'
import { revert, withRequestIds } from './revert-support.ts'

const gateway = useGateway()
const named = withRequestIds(gateway)

const requiring = (code: string): Given => ({ code, kind: 'ATTRIBUTE', attribute: 'Title' })

/** Sets what a channel requires, and returns the id of the request. */
async function set(store: string, ...codes: string[]): Promise<string> {
  const { errors } = await setRequirements({ ...gateway, ...named }, store, 'SMP', codes.map(requiring))
  expect(errors).toBeUndefined()
  return named.id
}

async function codesOf(store: string): Promise<string[]> {
  const document = `query ($store: ID!) {
    result: store(storeUuid: $store) { channelRequirements(channel: "SMP") { code } } }`
  const { result } = await query<{ channelRequirements: { code: string }[] }>(gateway, document, { store })
  return result.channelRequirements.map(({ code }) => code)
}

interface Receipt {
  operation: string
  counts: object[]
  changes: { nodes: { codes: string[]; items: { nodes: { channel: string; before: string; after: string }[] } }[] }
}

async function receiptOf(store: string, request: string): Promise<Receipt | null> {
  const document = `query ($store: ID!, $request: String!) { result: request(storeUuid: $store, requestId: $request) {
    operation counts { kind created updated deleted }
    changes { nodes { codes items { nodes { channel before after } } } } } }`
  return (await query<Receipt | null>(gateway, document, { store, request })).result
}

it('a change of requirements has a receipt with both lists, and is in the feed', async () => {
  const store = await storeWithProducts(gateway, ['A'])
  const first = await set(store, 'one')
  const second = await set(store, 'one', 'two')
  const again = await set(store, 'one', 'two')
  const last = await set(store)
  const counts = async (request: string) => (await receiptOf(store, request))?.counts
  const none = { kind: 'REQUIREMENT', created: 0, updated: 0, deleted: 0 }
  expect(await counts(first)).toEqual([{ ...none, created: 1 }])
  expect(await counts(second)).toEqual([{ ...none, updated: 1 }])
  expect(await counts(again)).toBeUndefined()
  expect(await counts(last)).toEqual([{ ...none, deleted: 1 }])
  const receipt = await receiptOf(store, second)
  expect(receipt?.operation).toBe('setChannelRequirements')
  const [change] = receipt?.changes.nodes ?? []
  expect(change?.codes).toEqual(['SMP'])
  const [item] = change?.items.nodes ?? []
  const codes = (list: string) => (JSON.parse(list) as Given[]).map(({ code }) => code)
  expect([item?.channel, codes(item?.before ?? '[]'), codes(item?.after ?? '[]')]).toEqual([
    'SMP',
    ['one'],
    ['one', 'two'],
  ])
  const feed = async () => {
    const { json } = await gateway.call(`/v1/changes?store_uuid=${store}&limit=100`)
    const { changes } = (json as { data: { changes: { kind: string; action: string; codes: string[] }[] } }).data
    return changes.filter(({ kind }) => kind === 'requirement').map(({ action, codes }) => [action, codes])
  }
  await expect.poll(feed).toEqual([
    ['created', ['SMP']],
    ['updated', ['SMP']],
    ['deleted', ['SMP']],
  ])
})

it('a change of requirements is reverted, and so is its revert', async () => {
  const store = await storeWithProducts(gateway, ['A'])
  const first = await set(store, 'one')
  const second = await set(store, 'two')
  const undone = await revert(gateway, store, second)
  expect([undone.reverted.requirements, undone.skipped, await codesOf(store)]).toEqual([1, [], ['one']])
  expect((await settled(gateway, store, 'SMP')).requirements).toMatchObject([{ code: 'one', missing: 1 }])
  expect((await revert(gateway, store, undone.requestId)).reverted.requirements).toBe(1)
  expect(await codesOf(store)).toEqual(['two'])
  const skipped = await revert(gateway, store, first)
  expect(skipped.skipped).toEqual([{ kind: 'REQUIREMENT', code: 'SMP', key: null, reason: 'changed_since' }])
  expect(await codesOf(store)).toEqual(['two'])
  await revert(gateway, store, first, { policy: 'OVERWRITE' })
  expect(await codesOf(store)).toEqual([])
  expect(await revert(gateway, store, await set(store, 'three'))).toMatchObject({ reverted: { requirements: 1 } })
  expect(await codesOf(store)).toEqual([])
})
