import { Readable } from 'node:stream'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { createApi } from '../../src/app/api/api.ts'
import { readConfig } from '../../src/app/config.ts'
import { runPatterns } from '../../src/catalogue/attributes/patterns.ts'
import { fallbackEnumerations } from '../../src/catalogue/enumerations.ts'
import type { Caller, Scope } from '../../src/request/caller.ts'
import { unauthorized } from '../../src/request/http-error.ts'
import { useDatabase } from '../support/database/database.ts'
import { storeIn } from '../support/factories.ts'

const database = useDatabase()
const scopes = new Set<Scope>(['admin'])
const someone: Caller = { tokenId: '1', tokenName: 'a token', scopes, viewer: { stores: undefined } }

it('only a successful write wakes the follower', async () => {
  let woken = 0
  const api = createApi({
    ...readConfig({}),
    persistedDocuments: undefined,
    db: database.db,
    log: pino({ level: 'silent' }),
    replicas: undefined,
    enumerations: () => fallbackEnumerations,
    filterService: undefined,
    onJobQueued: () => {},
    onWritten: () => woken++,
    pool: undefined,
    runPatterns,
  })
  const search = `store_uuid=${await storeIn(database.catalogue)}`
  const call = async (method: string, path: string, caller: Caller | undefined, body = '[]') => {
    const given = {
      method,
      path: `/v1${path}`,
      search,
      headers: { 'content-type': 'application/json' },
      requireCaller: () => {
        if (!caller) throw unauthorized(undefined)
        return caller
      },
      requestId: 'r',
      file: () => ({ chunks: Readable.from([]), announced: 0 }),
    }
    woken = 0
    const { answer } = await api.rest({ ...given, body: async () => Buffer.from(body) })
    return [answer.status, woken]
  }
  const product = JSON.stringify([{ product_code: 'A' }])
  expect(await call('OPTIONS', '/products', undefined)).toEqual([401, 0])
  expect(await call('POST', '/products', undefined, product)).toEqual([401, 0])
  expect(await call('OPTIONS', '/products', someone)).toEqual([204, 0])
  expect(await call('POST', '/nothing', someone)).toEqual([404, 0])
  expect(await call('POST', '/products', someone, '{')).toEqual([400, 0])
  expect(await call('POST', '/products', someone, product)).toEqual([200, 1])
})
