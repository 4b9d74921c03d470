import { pino } from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import { warnOnce } from '../../src/request/log.ts'

it('a warning is logged once for each of its reasons, and again when it comes after ten seconds without it', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const reasons: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => reasons.push(JSON.parse(line).reason) })
  const warn = (reason: string) => warnOnce(log, 'it failed', { reason })
  for (const reason of ['first', 'first', 'second', 'first']) warn(reason)
  for (let i = 0; i < 3; i++) {
    vi.advanceTimersByTime(9_000)
    warn('first')
  }
  expect(reasons).toEqual(['first', 'second'])
  vi.advanceTimersByTime(10_000)
  warn('first')
  expect(reasons).toEqual(['first', 'second', 'first'])
})
