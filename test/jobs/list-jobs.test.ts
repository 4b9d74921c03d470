import { expect, it } from 'vitest'
import { newStore } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()

interface Listed {
  store: { jobs: { totalCount: number; nodes: { kind: string; state: string }[] } }
}

async function listed(store: string, filter: object | null) {
  const document = `query ($store: ID!, $filter: JobFilter) {
    store(storeUuid: $store) { jobs(filter: $filter, last: 10) { totalCount nodes { kind state } } }
  }`
  const { jobs } = ((await gateway.data(document, { store, filter })) as unknown as Listed).store
  expect(jobs.totalCount).toBe(jobs.nodes.length)
  return jobs.nodes.map(({ kind, state }) => `${kind} ${state}`)
}

it('lists the jobs of a store in the order of their creation, by kind and by the state that is shown', async () => {
  const store = await newStore(gateway)
  const other = await newStore(gateway)
  const startImport = `mutation ($store: ID!, $content: String!) {
    startImport(storeUuid: $store, input: { format: CSV, content: $content }) { jobId }
  }`
  await gateway.data(startImport, { store, content: 'sku,status\nA,active\nB,nonsense\n' })
  await expect.poll(() => listed(store, null), { timeout: 30_000 }).toEqual(['IMPORT SUCCEEDED_WITH_FAILURES'])
  await gateway.data('mutation ($store: ID!) { startExport(storeUuid: $store) { jobId } }', { store })
  const both = ['IMPORT SUCCEEDED_WITH_FAILURES', 'EXPORT SUCCEEDED']
  await expect.poll(() => listed(store, null), { timeout: 30_000 }).toEqual(both)
  expect(await listed(store, { kind: ['EXPORT'] })).toEqual(['EXPORT SUCCEEDED'])
  expect(await listed(store, { state: ['SUCCEEDED_WITH_FAILURES', 'FAILED'] })).toEqual(both.slice(0, 1))
  expect(await listed(store, { state: ['SUCCEEDED'] })).toEqual(both.slice(1))
  expect(await listed(store, { kind: ['IMPORT'], state: ['SUCCEEDED'] })).toEqual([])
  expect(await listed(other, null)).toEqual([])
})
