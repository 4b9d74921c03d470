import pg from 'pg'
import { expect, it } from 'vitest'
import { isUnreachable } from '../../src/database/unavailable.ts'

function errorOf(code: string, message: string): Error {
  return Object.assign(new pg.DatabaseError(message, message.length, 'error'), { code, severity: 'ERROR' })
}

it.for([
  ['XX000', 'failure on connection marked as essential: 127.0.0.1:9801'],
  ['XX000', 'server closed the connection unexpectedly'],
  ['XX000', "failed to prepare transaction 'citus_0_1_2_3' on host 127.0.0.1:9801"],
  ['XX000', 'could not commit transaction for shard 102008 on at least one active node'],
  ['58030', 'failed to complete COPY on 127.0.0.1:9801'],
  ['58030', 'failed to COPY to shard 102008 on 127.0.0.1:9801'],
] as const)('%s, %s: a server of Citus has lost another one', ([code, message]) => {
  expect(isUnreachable(errorOf(code, message))).toBe(true)
})

it.for([
  ['XX000', 'cache lookup failed for function 1'],
  ['22023', 'server closed the connection unexpectedly'],
] as const)('%s, %s: the statement is wrong', ([code, message]) => {
  expect(isUnreachable(errorOf(code, message))).toBe(false)
})
