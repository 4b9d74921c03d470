import { expect, it } from 'vitest'
import type { TaskLimits } from '../../../src/heavy/thread-pool.ts'
import { newStore } from '../../support/factories.ts'
import { startTestGateway } from '../../support/gateway.ts'

const startImport = `mutation ($store: ID!, $content: String!) {
  job: startImport(storeUuid: $store, input: { content: $content, assets: ["pics"] }) { jobId } }`
const readJob = 'query ($id: ID!) { job(id: $id) { state error } }'

/** Imports of 4 rows of about 2 MB each, by a gateway whose jobs may take so much. */
async function importWith(jobLimits: TaskLimits) {
  const gateway = await startTestGateway({ more: { jobLimits } })
  try {
    const row = (i: number) =>
      `P${i},"${Array.from({ length: 60_000 }, (_, n) => `https://a.example/${i}/${n}`).join(',')}"`
    const content = `sku,pics\n${[1, 2, 3, 4].map(row).join('\n')}\n`
    const { job } = (await gateway.data(startImport, { store: await newStore(gateway), content })) as unknown as {
      job: { jobId: string }
    }
    const current = async () =>
      (await gateway.data(readJob, { id: job.jobId })).job as unknown as { state: string; error: string }
    await expect.poll(async () => (await current()).state, { timeout: 100_000 }).toMatch(/SUCCEEDED|FAILED/)
    const attempts = gateway.database.db.selectFrom('job').select(['attempt', 'crashes'])
    const health = await gateway.call('/health')
    return { ...(await current()), ...(await attempts.executeTakeFirstOrThrow()), health: health.status }
  } finally {
    await gateway.stop()
  }
}

it.each([
  ['that does not move on in time', { deadlineMs: 20 }, 'a step of it took more than 0.02 s'],
  ['that needs more memory than it may have', { heapMb: 56 }, 'it needed more than 56 MiB of memory'],
])(
  'a job %s is ended, retried once, and failed with what happened',
  async (_, limits, reason) => {
    expect(await importWith(limits)).toMatchObject({
      state: 'FAILED',
      error: `the job was ended twice: ${reason}; shorter rows take less`,
      attempt: 2,
      health: 200,
    })
  },
  200_000,
)
