import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { warnOnce } from '../../src/request/log.ts'

describe('a warning', () => {
  let reasons: string[]
  const log = pino({ level: 'warn' }, { write: (line) => reasons.push(JSON.parse(line).reason) })
  beforeEach(() => {
    reasons = []
    vi.useFakeTimers()
  })
  afterEach(() => void vi.useRealTimers())

  it('is logged once for each of its reasons, and again when it comes after ten seconds without it', () => {
    const warn = (reason: string) => warnOnce(log, 'it failed', { reason })
    for (const reason of ['first', 'first', 'second', 'first']) warn(reason)
    for (let i = 0; i < 3; i++) {
      vi.advanceTimersByTime(9_000)
      warn('first')
    }
    expect(reasons).toEqual(['first', 'second'])
    vi.advanceTimersByTime(11_000)
    warn('first')
    expect(reasons).toEqual(['first', 'second', 'first'])
  })

  it('that goes on coming is logged every ten minutes', () => {
    for (let second = 0; second < 1_250; second += 9) {
      warnOnce(log, 'it goes on', { reason: `after ${second} s` }, 'deadlock')
      vi.advanceTimersByTime(9_000)
    }
    expect(reasons).toEqual(['after 0 s', 'after 603 s', 'after 1206 s'])
  })

  it('is logged however many others go on coming', () => {
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 150; i++) warnOnce(log, 'one of many', { reason: `${i}` })
    }
    warnOnce(log, 'a new one', { reason: 'outage' })
    expect(reasons.at(-1)).toBe('outage')
  })
})
