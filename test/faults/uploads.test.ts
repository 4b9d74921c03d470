import { afterEach, expect, it } from 'vitest'
import { openWire } from '../support/clients/wire.ts'
import { useDatabase } from '../support/database/database.ts'
import { newStore } from '../support/factories.ts'
import { token } from '../support/servers/gateway.ts'
import { serve } from '../support/servers/serve.ts'

const database = useDatabase({}, 'each')
const started: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of started.splice(0)) await stop()
})

const countOf = async (table: 'job' | 'job_part') => (await database.db.selectFrom(table).selectAll().execute()).length

it('an upload whose gateway is killed is removed at the next start, and one of another gateway goes on', async () => {
  const [killed, other] = [await serve(database), await serve(database)]
  started.push(() => other.end('SIGKILL'))
  const store = await newStore(killed)
  const wires = await Promise.all([killed, other].map(({ url }) => openWire(url)))
  for (const wire of wires)
    wire.send(
      `POST /v1/imports?store_uuid=${store} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Length: 1000000\r\n\r\nsku\n${'A\n'.repeat(300_000)}`,
    )
  await expect.poll(() => countOf('job_part')).toBe(4)
  await killed.end('SIGKILL')
  const next = await serve(database)
  started.push(() => next.end('SIGKILL'))
  await expect
    .poll(
      () => {
        // The rest of the other one arrives slowly.
        wires[1]?.send('A\n')
        return countOf('job')
      },
      { interval: 1_000 },
    )
    .toBe(1)
  expect(await countOf('job_part')).toBe(2)
  for (const wire of wires) wire.close()
  await expect.poll(() => countOf('job')).toBe(0)
})
