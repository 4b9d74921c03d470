import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect, it, onTestFinished } from 'vitest'
import { createJobWatch } from '../../src/app/api/job-watch.ts'
import { sentStatements } from '../../src/database/connection/sent-statements.ts'
import { ask } from '../support/clients/operations.ts'
import { newStore } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()

it('all watched jobs are found by one statement, each for those who may see it', async () => {
  const texts: string[] = []
  const note = (text: unknown) => void texts.push(String(text))
  subscribe(sentStatements.name, note)
  onTestFinished(() => void unsubscribe(sentStatements.name, note))
  const store = await newStore(gateway)
  const { jobId } = await ask<{ jobId: string }>(
    gateway,
    'startExport',
    { storeUuid: store, format: 'JSONL' },
    '{ jobId }',
  )
  const findWatched = createJobWatch(gateway.database.db)
  const all = { stores: undefined }
  const unknown = '019aa000-0000-7000-8000-000000000001'
  texts.length = 0
  const found = await Promise.all([
    findWatched(all, jobId),
    findWatched(all, jobId),
    findWatched({ stores: new Set() }, jobId),
    findWatched(all, unknown),
  ])
  expect(found.map((job) => job?.jobId)).toEqual([jobId, jobId, undefined, undefined])
  expect(texts.filter((text) => text.includes('job_id = any'))).toHaveLength(1)
})
