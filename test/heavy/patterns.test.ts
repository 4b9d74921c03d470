import { RE2JS } from 're2js'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { define, newStore, productOf, storeWithProducts } from '../support/factories.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.stop())
afterEach(() => {
  vi.restoreAllMocks()
})

/** Short to write, and a program of thousands of steps. */
const long = (name: string) => `(${name}{0,100}){0,9}b`
const value = 'a'.repeat(30_000)

/** How many patterns are compiled by the thread that serves all while something is done. */
async function compiledHere(work: () => Promise<unknown>): Promise<number> {
  const compile = vi.spyOn(RE2JS, 'compile')
  await work()
  return compile.mock.calls.length
}

it('patterns of many steps are compiled, and values judged by them, on the other thread', async () => {
  const store = await storeWithProducts(gateway, ['A'])
  const pattern = long('a')
  expect(await compiledHere(() => define(gateway, store, [{ name: 'Slow', type: 'TEXT', pattern }]))).toBe(0)
  const body = [{ product_code: 'A', Slow: value, Color: 'Blue' }]
  const call = { method: 'PUT', body, headers: { 'idempotency-key': 'slow' } }
  const path = `/v1/products?store_uuid=${store}`
  const failed = { status: 200, json: { data: { failed_products: { A: { Slow: expect.stringContaining(pattern) } } } } }
  expect(await compiledHere(async () => expect(await gateway.call(path, call)).toMatchObject(failed))).toBe(0)
  expect(await gateway.call(path, call)).toMatchObject(failed)
  const good = [{ product_code: 'A', Slow: 'aab', Color: 'Blue' }]
  expect((await gateway.call(path, { method: 'PUT', body: good })).status).toBe(200)
  expect((await productOf(gateway, store, 'A'))?.attributes).toEqual({ Slow: 'aab', Color: 'Blue' })
})

it('a write that is one of several is done where it is: those before it are done', async () => {
  const store = await newStore(gateway)
  const names = ['c', 'd']
  const fields = names.map(
    (name) =>
      `${name}: defineAttributes(storeUuid: "${store}", definitions: [{ name: "${name}", type: TEXT, pattern: "${long(name)}" }]) { name }`,
  )
  expect(await compiledHere(() => gateway.data(`mutation { ${fields.join(' ')} }`))).toBe(2)
})

it('patterns of a few steps are compiled once, and stay', async () => {
  const store = await storeWithProducts(gateway, ['A'])
  const pattern = '[A-Z]{2}-[0-9]+'
  expect(await compiledHere(() => define(gateway, store, [{ name: 'Quick', type: 'TEXT', pattern }]))).toBe(1)
  const put = () =>
    gateway.call(`/v1/products?store_uuid=${store}`, { method: 'PUT', body: [{ product_code: 'A', Quick: 'AB-1' }] })
  vi.restoreAllMocks()
  expect(await compiledHere(put)).toBe(0)
})
