import { expect, it } from 'vitest'
import { ask } from '../support/clients/operations.ts'
import { newStore, query } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()

interface Listed {
  jobs: { totalCount: number; nodes: { kind: string; state: string }[] }
}

async function listed(store: string, filter: object | null) {
  const document = `query ($store: ID!, $filter: JobFilter) {
    result: store(storeUuid: $store) { jobs(filter: $filter, last: 10) { totalCount nodes { kind state } } } }`
  const { jobs } = (await query<Listed>(gateway, document, { store, filter })).result
  expect(jobs.totalCount).toBe(jobs.nodes.length)
  return jobs.nodes.map(({ kind, state }) => `${kind} ${state}`)
}

it('lists the jobs of a store in the order of their creation, by kind and by the state that is shown', async () => {
  const store = await newStore(gateway)
  const other = await newStore(gateway)
  const input = { format: 'CSV', content: 'sku,status\nA,active\nB,nonsense\n' }
  await ask(gateway, 'startImport', { storeUuid: store, input })
  await expect.poll(() => listed(store, null)).toEqual(['IMPORT SUCCEEDED_WITH_FAILURES'])
  await ask(gateway, 'startExport', { storeUuid: store })
  const both = ['IMPORT SUCCEEDED_WITH_FAILURES', 'EXPORT SUCCEEDED']
  await expect.poll(() => listed(store, null)).toEqual(both)
  expect(await listed(store, { kind: ['EXPORT'] })).toEqual(['EXPORT SUCCEEDED'])
  expect(await listed(store, { state: ['SUCCEEDED_WITH_FAILURES', 'FAILED'] })).toEqual(both.slice(0, 1))
  expect(await listed(store, { state: ['SUCCEEDED'] })).toEqual(both.slice(1))
  expect(await listed(store, { kind: ['IMPORT'], state: ['SUCCEEDED'] })).toEqual([])
  expect(await listed(other, null)).toEqual([])
})
