import { expect, it } from 'vitest'
import { ReadLimit } from '../../src/request/read-limit.ts'

it('speaks of points where they are too many, and of what a caller says', () => {
  const readLimit = new ReadLimit(10, { maxRows: 2 })
  readLimit.addRows(2)
  expect(() => readLimit.addRows(1)).toThrow('may make 2 points here; these are 3')
  expect(readLimit.stopAtRows('too many assets')).toMatchObject({
    code: 'payload_too_large',
    message: 'too many assets',
  })
})

it('repeats a request that reads too much only before its commit', () => {
  const before = new ReadLimit(10, { repeatedBeyond: ['bytes'] })
  before.add(11)
  expect(() => before.requireShortBeforeCommit({})).toThrow('10 bytes')
  expect(before.isForPool).toBe(true)
  const after = new ReadLimit(10, { repeatedBeyond: ['bytes'] })
  after.add(10)
  after.requireShortBeforeCommit({})
  expect(after.add(1)).toBeUndefined()
  expect(after.isForPool).toBe(false)
  after.beginAttempt()
  expect(after.left).toBe(10)
  after.add(11)
  expect(after.isForPool).toBe(true)
})
