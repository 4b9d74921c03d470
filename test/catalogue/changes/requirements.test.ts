import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { withRequestId } from '../../support/clients/caller.ts'
import type { Item } from '../../support/clients/client.ts'
import { ask } from '../../support/clients/operations.ts'
import { restData } from '../../support/clients/rest-client.ts'
import { storeWithProducts } from '../../support/factories.ts'
import { useGateway } from '../../support/servers/gateway.ts'
import { type Given, setRequirements, settled } from '../readiness/support.ts'
import { revert } from './revert-support.ts'

const gateway = useGateway()

const requiring = (code: string): Given => ({ code, kind: 'ATTRIBUTE', attribute: 'Title' })

/** Sets what a channel requires, and returns the id of the request. */
async function set(store: string, ...codes: string[]): Promise<string> {
  const id = randomUUID()
  const { errors } = await setRequirements(withRequestId(gateway, id), store, 'SMP', codes.map(requiring))
  expect(errors).toBeUndefined()
  return id
}

async function codesOf(store: string): Promise<string[]> {
  const selection = '{ channelRequirements(channel: "SMP") { code } }'
  const found = await ask<{ channelRequirements: Given[] }>(gateway, 'store', { storeUuid: store }, selection)
  return found.channelRequirements.map(({ code }) => code)
}

interface Receipt {
  operation: string
  counts: object[]
  changes: { nodes: { codes: string[]; items: { nodes: { channel: string; before: string; after: string }[] } }[] }
}

function receiptOf(storeUuid: string, requestId: string): Promise<Receipt | null> {
  const selection = `{ operation counts { kind created updated deleted }
    changes { nodes { codes items { nodes { channel before after } } } } }`
  return ask(gateway, 'request', { storeUuid, requestId }, selection)
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
    const { changes } = await restData(gateway, `GET /changes?store_uuid=${store}&limit=100`)
    return (changes as Item[]).filter(({ kind }) => kind === 'requirement').map(({ action, codes }) => [action, codes])
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
