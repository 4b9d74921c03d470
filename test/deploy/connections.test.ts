import { expect, it } from 'vitest'
import { connectionsOf } from '../../src/app/cluster/connections.ts'
import { readConfig } from '../../src/app/config.ts'
import { sourceOf } from '../support/sources.ts'

const replica = 'postgresql://user@host/database'
const needed = (env: Record<string, string>) => connectionsOf(readConfig(env))

it('counts the connections of a gateway by its settings', () => {
  const one = needed({})
  expect(needed({ DATABASE_POOL_SIZE: '30' })).toBe(one + 20)
  expect(needed({ DATABASE_READ_URL: replica })).toBe(one + 1)
  expect(needed({ WORKERS: '2' })).toBe(2 * one)
  expect(needed({ WORKERS: '16' })).toBe(16 * (one - 7))
})

it.each([
  ['docs/deployment.md', /(\d+) connections by default/],
  ['deploy/kubernetes/autoscaler.yaml', /up to (\d+) connections/],
  ['deploy/pgbouncer/pgbouncer.ini', /together: (\d+) per process/],
])('%s names the same number', (path, named) => {
  expect(Number(named.exec(sourceOf(path))?.[1])).toBe(needed({}))
})
