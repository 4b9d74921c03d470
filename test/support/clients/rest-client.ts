import { expect } from 'vitest'
import type { Caller } from './caller.ts'
import { type Client, type Entry, type Item, type Outcome, refused, withData } from './client.ts'
import type { Call, Reply } from './http.ts'

/** A reply with its envelope read. `data` has the `error_info` of a refusal, too. */
export interface RestReply extends Omit<Reply, 'json'>, Outcome {
  data: Item
}

/** Calls an operation under /v1, such as `PUT /products?store_uuid=…`. The answer must have the specified envelope. */
export async function callRest(
  gateway: Caller,
  operation: string,
  body?: unknown,
  call: Call = {},
): Promise<RestReply> {
  const [method = '', target = ''] = operation.split(' ', 2)
  const { json, ...reply } = await gateway.call(`/v1${target}`, { method, body, ...call })
  return { ...reply, ...outcomeOf({ ...reply, json }), data: (json as { data: Item }).data }
}

/** The same for an operation that must succeed: its data. */
export async function restData(gateway: Caller, operation: string, body?: unknown): Promise<Item> {
  const { status, text, data } = await callRest(gateway, operation, body)
  if (status !== 200) throw new Error(`${operation} failed: ${text}`)
  return data
}

/** A client of REST. Every answer is checked for the envelope that the spec demands. */
export function restClient(gateway: Caller): Client {
  const send = async (method: string, path: string, query: Item, body: unknown) =>
    outcomeOf(await gateway.call(`/v1${path}?${queryString(query)}`, { method, body }))
  return {
    createStore: (body, query = {}) => send('POST', '/stores', query, body),
    listAssets: async (query) => {
      const reply = await gateway.call(`/v1/assets?${queryString(query)}`)
      return withData(outcomeOf(reply), ({ assets, ...counts }: { assets: Record<string, object> }) => ({
        ...counts,
        groups: codesIn(reply.text).map((code) => ({ parent_code: code, ...assets[code] })),
      }))
    },
    updateProducts: async (storeUuid, body) =>
      withData(
        await send('PUT', '/products', { store_uuid: storeUuid }, body),
        (data: { failed_products: Record<string, Record<string, string>> }) => {
          const failed = Object.entries(data.failed_products)
          return { ...data, failed_products: failed.map(([code, reasons]) => [code, Object.entries(reasons)]) }
        },
      ),
    deleteAssets: async (body) => withData(await send('DELETE', '/assets', {}, body), failuresOf),
    unlinkAssets: async (body) => withData(await send('POST', '/assets/unlink', {}, body), failuresOf),
  }
}

/** Reads an answer, which must have the envelope and a status for its reason (spec: Response envelope, Errors). */
export function outcomeOf({ status, headers, json }: Reply): Outcome {
  const answer = json as { status: Item; data: { error_info: Entry[] } }
  expect(Object.keys(answer)).toEqual(['status', 'data'])
  expect(Object.keys(answer.status)).toEqual(['code', 'message', 'request_id'])
  expect(headers['x-request-id']).toBe(answer.status.request_id)
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  if (answer.status.code === 0) {
    expect(status).toBe(200)
    expect(answer.data).toBeTypeOf('object')
    return { data: answer.data }
  }
  expect(answer.status).toMatchObject({ code: -1, message: 'ERROR' })
  expect(Object.keys(answer.data)).toEqual(['error_info'])
  const outcome = refused(answer.data.error_info)
  expect(status).toBe(statusOfReason[outcome.reason])
  return outcome
}

/** Decisions: Envelope, the table of situations. */
export const statusOfReason: Record<string, number> = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  store_not_found: 404,
  request_not_found: 404,
  product_not_found: 404,
  import_not_found: 404,
  webhook_not_found: 404,
  method_not_allowed: 405,
  idempotency_conflict: 409,
  changes_disabled: 409,
  not_revertible: 409,
  plan_outdated: 409,
  cursor_expired: 410,
  too_many_affected: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  quota_exceeded: 429,
  internal_error: 500,
  downstream_unavailable: 502,
  unavailable: 503,
}

/** The failures in the data of a delete or unlink; an empty object where there is none. */
function failuresOf(data: { failed: number; error_info: object[] }) {
  if (data.failed === 0) expect(data.error_info).toEqual([{}])
  else expect(data.error_info).toHaveLength(data.failed)
  return { ...data, error_info: data.failed === 0 ? [] : data.error_info }
}

/** The parent codes of a listing in the order of its JSON text, which a parsed object loses. */
export function codesIn(text: string): string[] {
  const keys = text.matchAll(/("(?:[^"\\]|\\.)*"):\{"channel":/g)
  return Array.from(keys, ([, key = '']) => JSON.parse(key))
}

/** A query string; what is undefined is left out. */
export function queryString(query: Item): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
}
