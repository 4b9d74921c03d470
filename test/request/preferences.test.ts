import { expect, it } from 'vitest'
import { readStaleness } from '../../src/request/preferences.ts'
import { cpuMsOf } from '../support/cpu-time.ts'

function read(headers: Record<string, string>) {
  const { faults, ...read } = readStaleness(headers)
  return { ...read, faults: faults.map(({ field }) => field) }
}

it.each([
  ['', undefined],
  ['respond-async, wait=10', undefined],
  ['stale-while=2s', 2_000],
  ['stale-while=500ms', 500],
  ['stale-while=0s', 0],
  ['stale-while=60s', 60_000],
  ['Stale-While = "2s"', 2_000],
  ['respond-async;a="b, c";; d , , stale-while=2s; e=f, wait=10', 2_000],
  ['stale-while=2s, stale-while=9s', 2_000],
  ['lenient; stale-while=2s', undefined],
  ['note="x, stale-while=2s"', undefined],
])('Prefer: %s allows %s ms', (prefer, maxMs) => {
  expect(read({ prefer })).toEqual({ maxMs, after: undefined, isLatest: false, faults: [] })
})

it.each([
  'stale-while',
  'stale-while=',
  'stale-while=""',
  'stale-while=2',
  'stale-while=-2s',
  'stale-while=1.5s',
  'stale-while=60001ms',
  'stale-while=2m',
  'no preference, stale-while=2s',
  'note="x, stale-while=2s',
])('Prefer: %s is refused', (prefer) => {
  expect(read({ prefer })).toEqual({ maxMs: undefined, after: undefined, isLatest: false, faults: ['Prefer'] })
})

it.each([
  ['0/0', 0],
  ['0/16B3748', 0x16b3748],
  ['1/0000000a', 2 ** 32 + 10],
])('the position %s is %s bytes', (position, after) => {
  expect(read({ 'x-catalogue-after': position })).toMatchObject({ after, faults: [] })
})

it('asks for the latest, or for a position', () => {
  const read = (position: string) => readStaleness({ 'x-catalogue-after': position })
  expect(read('latest')).toEqual({ maxMs: undefined, after: undefined, isLatest: true, faults: [] })
  expect(read('0/1')).toMatchObject({ isLatest: false })
})

it.each(['', '0', '0/', '0/1/2', 'g/1', '0/123456789', '0/1, 0/2'])('the position %j is refused', (position) => {
  expect(read({ 'x-catalogue-after': position }).faults).toEqual(['X-Catalogue-After'])
})

it('reads hostile preferences in linear time', () => {
  const readAll = () => {
    for (const piece of ['"\\', '; ', 'a;  ', 'a=b;', ', ', 'a="\\"', '= ', 'a,'])
      read({ prefer: `x, ${piece.repeat(16_000 / piece.length)}(, stale-while=2s` })
  }
  expect(cpuMsOf(readAll)).toBeLessThan(1_000)
})
