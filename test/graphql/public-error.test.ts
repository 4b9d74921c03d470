import { pino } from 'pino'
import { expect, it } from 'vitest'
import { publicError } from '../../src/graphql/public-error.ts'

it('an outage is logged while other faults of the database go on coming', () => {
  const reasons: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => reasons.push(JSON.parse(line).reason) })
  const fault = (message: string, code?: string) => publicError(Object.assign(new Error(message), { code }), log)
  for (let i = 0; i < 3; i++) fault('deadlock detected', '40P01')
  for (let i = 0; i < 3; i++) fault(`connect ECONNREFUSED 127.0.0.1:${5432 + i}`, 'ECONNREFUSED')
  for (let i = 0; i < 3; i++) fault('Connection terminated unexpectedly')
  expect(reasons).toEqual([
    'deadlock detected',
    'connect ECONNREFUSED 127.0.0.1:5432',
    'Connection terminated unexpectedly',
  ])
})

it.each([
  ['deadlock detected', '40P01', 'other requests have locked what this one changes'],
  ['could not serialize access due to concurrent update', '40001', 'other requests have changed what this one reads'],
])('a write that fails after all its repeats by "%s" is no lost connection', (message, code, problem) => {
  const logged: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => logged.push(JSON.parse(line).msg) })
  const { extensions } = publicError(Object.assign(new Error(message), { code }), log)
  expect(extensions.errorInfo).toEqual([{ reason: 'unavailable', details: `${problem}; retry later` }])
  expect(logged).not.toContain('the database cannot be reached')
})
