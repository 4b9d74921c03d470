import { setImmediate } from 'node:timers/promises'
import { Kysely, PostgresDialect } from 'kysely'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startMaintenance } from '../../src/app/maintenance.ts'
import type { Database } from '../../src/database/tables.ts'
import { keptLog } from '../support/log.ts'
import { startTestGateway } from '../support/servers/gateway.ts'

it('a stop that takes more than 10 s logs once what it waits for', async () => {
  const { lines, log } = keptLog()
  const gateway = await startTestGateway({ log })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  lines.length = 0
  const stopped = gateway.stop()
  vi.advanceTimersByTime(20_000)
  vi.useRealTimers()
  expect(lines).toMatchObject([{ msg: 'the gateway takes long to stop', waitsFor: ['jobs', 'connections'] }])
  await stopped
})

it('maintenance that fails after the stop is neither logged nor repeated', async () => {
  const { lines, log } = keptLog()
  const lost = Promise.withResolvers<never>()
  const pool = { connect: () => lost.promise, end: async () => {}, options: {} }
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  await startMaintenance(db, { jobsRetention: 1, changesRetention: 1 }, log)()
  const timer = vi.spyOn(globalThis, 'setTimeout')
  onTestFinished(() => timer.mockRestore())
  lost.reject(new Error('the connection is lost'))
  await setImmediate()
  expect(lines).toEqual([])
  expect(timer).not.toHaveBeenCalled()
})
