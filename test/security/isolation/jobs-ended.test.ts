import { expect, it } from 'vitest'
import type { TaskLimits } from '../../../src/event-loop/thread-pool.ts'
import { ask } from '../../support/clients/operations.ts'
import { newStore } from '../../support/factories.ts'
import { startTestGateway } from '../../support/servers/gateway.ts'

/** Imports a product of so many rows, which are in memory together, by a gateway whose jobs may take so much. */
async function importWith(rows: number, jobLimits: TaskLimits) {
  await using gateway = await startTestGateway({ more: { jobLimits } })
  const columns = Array.from({ length: 1_800 }, (_, i) => `c${i}`)
  const content = `Handle,${columns.join(',')}\n${`A${','.repeat(columns.length)}\n`.repeat(rows)}`
  const args = { storeUuid: await newStore(gateway), input: { content, preset: 'SHOPIFY' } }
  const { jobId: id } = await ask(gateway, 'startImport', args, '{ jobId }')
  const current = () => ask(gateway, 'job', { id }, '{ state error }')
  await expect.poll(async () => (await current()).state, { timeout: 100_000 }).toMatch(/SUCCEEDED|FAILED/)
  const attempts = gateway.database.db.selectFrom('job').select(['attempt', 'crashes'])
  const health = await gateway.call('/health')
  return { ...(await current()), ...(await attempts.executeTakeFirstOrThrow()), health: health.status }
}

it.each([
  ['that does not move on in time', 500, { deadlineMs: 20 }, 'a step of it took more than 0.02 s'],
  [
    'that needs more memory than it may have',
    2_000,
    { heapMb: 32, deadlineMs: 60_000 },
    'it needed more than 32 MiB of memory',
  ],
])('a job %s is ended, retried once, and failed with what happened', async (_, rows, limits, reason) => {
  expect(await importWith(rows, limits)).toMatchObject({
    state: 'FAILED',
    error: `the job was ended twice: ${reason}; shorter rows take less`,
    attempt: 2,
    health: 200,
  })
})
