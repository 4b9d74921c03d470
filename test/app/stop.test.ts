import { pino } from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startTestGateway } from '../support/servers/gateway.ts'

function capturing() {
  const lines: string[] = []
  return { lines, log: pino({ level: 'warn' }, { write: (line: string) => lines.push(line) }) }
}

it('a stop that takes more than 10 s logs once what it waits for', async () => {
  const { lines, log } = capturing()
  const gateway = await startTestGateway({ log })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  lines.length = 0
  const stopped = gateway.stop()
  vi.advanceTimersByTime(20_000)
  vi.useRealTimers()
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { msg: 'the gateway takes long to stop', waitsFor: ['jobs', 'connections'] },
  ])
  await stopped
})
