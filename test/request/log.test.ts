import { pino } from 'pino'
import { expect, it } from 'vitest'
import { warnOnceASecond } from '../../src/request/log.ts'

it('a warning is logged once a second for each of its reasons', () => {
  const reasons: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => reasons.push(JSON.parse(line).reason) })
  for (const reason of ['first', 'first', 'second', 'first']) warnOnceASecond(log, 'it failed', { reason })
  expect(reasons).toEqual(['first', 'second'])
})
