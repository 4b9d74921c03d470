import { subscribe } from 'node:diagnostics_channel'
import type pg from 'pg'
import { expect } from 'vitest'
import { runInStore } from '../../../src/database/citus/run-in-store.ts'
import { sentStatements } from '../../../src/database/connection/sent-statements.ts'
import { readVolatility, violationsOf } from './one-store.ts'

/** Statements that the product has sent in this process, those of tests and restores, and those that are checked. */
const [ofProduct, ofTests, checked] = [new Set<string>(), new Set<string>(), new Set<string>()]

/** Notes the sender. Call it where the caller is still on the stack, also of a promise that is not awaited. */
export function noteCaller(text: string): void {
  // Reading the stack takes long.
  if (checked.has(text) || ofProduct.has(text)) return
  const kind = isOfProduct(stack()) ? ofProduct : ofTests
  kind.add(text)
}

// Commands, replicas and the job queue open connections of their own.
subscribe(sentStatements.name, (message) => {
  const text = String(message)
  if (checked.has(text) || ofProduct.has(text) || ofTests.has(text)) return
  if (isOfProduct(stack())) ofProduct.add(text)
})

/** More parameters than a statement has. */
const anyStore = Array.from({ length: 1_000 }, () => '')

/** Expects that all statements of the product could also run where several servers share the stores. */
export async function expectOneStore(connect: () => Promise<pg.Client>): Promise<void> {
  const texts = Array.from(ofProduct)
  ofProduct.clear()
  if (texts.length === 0) return
  const client = await connect()
  const volatility = await readVolatility(client).finally(() => client.end())
  for (const text of texts) {
    expect(await violationsOf(text, volatility), text).toEqual([])
    expect(() => runInStore('', text, anyStore)).not.toThrow()
    checked.add(text)
  }
}

/** Transactions within transactions have many frames of Kysely. */
const maxFrames = 60

function stack(): string {
  const usual = Error.stackTraceLimit
  Error.stackTraceLimit = maxFrames
  const { stack = '' } = new Error()
  Error.stackTraceLimit = usual
  return stack
}

/** Whether the innermost caller outside of packages, this folder and connections is a file of the product. */
function isOfProduct(stack: string): boolean {
  const isPassedBy = /node_modules|test\/support|src\/database\/connection/
  const caller = stack.split('\n').find((line) => line.includes('file:') && !isPassedBy.test(line))
  // A restore replaces whole tables.
  return caller === undefined || (caller.includes('/src/') && !caller.includes('/src/backup/'))
}
