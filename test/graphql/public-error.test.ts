import { expect, it } from 'vitest'
import { publicError } from '../../src/graphql/public-error.ts'
import { keptLog } from '../support/log.ts'

it('an outage is logged while other faults of the database go on coming', () => {
  const { lines, log } = keptLog()
  const fault = (message: string, code?: string) => publicError(Object.assign(new Error(message), { code }), log)
  for (let i = 0; i < 3; i++) fault('deadlock detected', '40P01')
  for (let i = 0; i < 3; i++) fault(`connect ECONNREFUSED 127.0.0.1:${5432 + i}`, 'ECONNREFUSED')
  for (let i = 0; i < 3; i++) fault('Connection terminated unexpectedly')
  expect(lines.map(({ reason }) => reason)).toEqual([
    'deadlock detected',
    'connect ECONNREFUSED 127.0.0.1:5432',
    'Connection terminated unexpectedly',
  ])
})

it.each([
  ['deadlock detected', '40P01', 'other requests have locked what this one changes'],
  ['could not serialize access due to concurrent update', '40001', 'other requests have changed what this one reads'],
])('a write that fails after all its repeats by "%s" is no lost connection', (message, code, problem) => {
  const { lines, log } = keptLog()
  const { extensions } = publicError(Object.assign(new Error(message), { code }), log)
  expect(extensions.errorInfo).toEqual([{ reason: 'unavailable', details: `${problem}; retry later` }])
  expect(lines.map(({ msg }) => msg)).not.toContain('the database cannot be reached')
})
