import { expect } from 'vitest'
import { query } from '../support/factories.ts'
import type { TestGateway } from '../support/servers/gateway.ts'

export interface Job {
  jobId: string
  storeUuid: string
  kind: string
  state: string
  rowsDone: number
  counts: Record<string, number>
  problems: Record<string, unknown>[]
  error: string | null
  requestId: string | null
  notes: Record<string, unknown>[]
  format: string | null
  encoding: string | null
  delimiter: string | null
  rate: number | null
  heartbeatAt: string | null
  outputParts: number
}

const jobFields = `jobId storeUuid kind state rowsDone rate heartbeatAt error outputParts
  requestId format encoding delimiter notes { code column rows example }
  counts { created updated unchanged failed assetsAdded linksAdded assetsFailed replaced } problems { row line productCode field reason }`
export const startImport = `mutation ($storeUuid: ID!, $input: ImportInput!) {
  result: startImport(storeUuid: $storeUuid, input: $input) { ${jobFields} } }`
export const startExport = `mutation ($storeUuid: ID!, $format: FileFormat, $status: ProductStatus) {
  result: startExport(storeUuid: $storeUuid, format: $format, status: $status) { ${jobFields} } }`

async function start(document: string, variables: Record<string, unknown>, on: TestGateway): Promise<string> {
  const { result } = await query<Job>(on, document, variables)
  expect(result).toMatchObject({ state: expect.stringMatching(/^(QUEUED|RUNNING)$/), storeUuid: variables.storeUuid })
  return result.jobId
}

async function jobOf(id: string, on: TestGateway): Promise<Job> {
  return (await query<Job>(on, `query ($id: ID!) { result: job(id: $id) { ${jobFields} } }`, { id })).result
}

export async function ended(id: string, on: TestGateway): Promise<Job> {
  const isOver = async () => !['QUEUED', 'RUNNING'].includes((await jobOf(id, on)).state)
  await expect.poll(isOver, { timeout: 100_000, interval: 50 }).toBe(true)
  return jobOf(id, on)
}

export async function outputOf(id: string, on: TestGateway): Promise<string> {
  const document = 'query ($id: ID!, $part: Int!) { result: job(id: $id) { output(part: $part) } }'
  let text = ''
  for (let part = 0; ; part++) {
    const { output } = (await query<{ output: string | null }>(on, document, { id, part })).result
    if (output === null) return text
    text += output
  }
}

/** Runs a job to its end. */
export const runJob = async (document: string, variables: Record<string, unknown>, on: TestGateway) =>
  ended(await start(document, variables, on), on)
