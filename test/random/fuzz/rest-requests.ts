import fc from 'fast-check'
import { keptExamples } from '../../../rest/openapi/responses.ts'
import { type Fixture, ofFixture } from './fixture.ts'
import { hostileBody, hostileParameter, hostilePath, hostileValue } from './hostile.ts'
import { type Edit, type Json, jsonText } from './json-text.ts'
import { framings, headers, methods, versions } from './request-parts.ts'
import { type WireRequest, wireRequest } from './wire-request.ts'

/** A request as a caller would send it: what the fuzzer starts from. */
interface Usual {
  method: string
  path: string
  query: readonly (readonly [name: string, value: string])[]
  body?: Json
}

/** Requests of the façade: most are a good one with a few things wrong. */
export function restRequests(fixture: Fixture): fc.Arbitrary<WireRequest> {
  return fc
    .constantFrom(...usualRequests(fixture))
    .chain((usual) =>
      fc.record({
        method: methods(usual.method),
        target: targets(usual),
        version: versions,
        headers: headers(contentTypes, accepts),
        body: bodies(usual.body),
        framing: framings,
      }),
    )
    .map((parts) => wireRequest({ api: 'rest', ...parts }))
}

/** The examples of the OpenAPI document, and requests of two stores. */
function usualRequests(fixture: Fixture): Usual[] {
  const [store = '', other = ''] = fixture.stores
  const [code = '', second = ''] = fixture.codes
  const shared = fixture.assetIds[1] ?? ''
  return [
    ...ofFixture(keptExamples, fixture).map(({ method, path, query, body }) => ({
      method,
      path: `/v1${path}`,
      query: Object.entries(query),
      ...(body !== undefined && { body: body as Json }),
    })),
    {
      method: 'GET',
      path: `/v1/products/${encodeURIComponent(code)}`,
      query: Object.entries({ store_uuid: store, at: '2999-01-01T00:00:00.000Z' }),
    },
    {
      method: 'PUT',
      path: '/v1/products',
      query: [['store_uuid', other]],
      body: [
        { product_code: code, status: 'active', Color: 'Blue', Size: '12.5', Sold: 'true' },
        { product_code: second, Since: '2026-11-21', Page: 'https://example.com', Fit: 'slim', Code: 'abc' },
        { product_code: '__proto__', status: 'under review', constructor: 'x' },
      ],
    },
    {
      method: 'DELETE',
      path: '/v1/assets',
      query: [],
      body: [
        { store_uuid: store, asset_id: ['unknown', shared, shared] },
        { store_uuid: other, channel: 'SMP', parent_code: code, asset_id: shared },
        { store_uuid: other },
      ],
    },
  ]
}

const contentTypes = [
  ...['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON;CHARSET="UTF-8"'],
  ...['application/json; charset=utf-16', 'application/json; charset=', 'application/json;'],
  ...['application/json, text/plain', 'application/jsonx', 'application/vnd.api+json', 'application/graphql'],
  ...['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain', 'text/html', '', ';'],
  ...['*/*', '\xff'],
]

const accepts = [
  ...['*/*', 'application/json', 'text/html', 'text/html;q=0.9, */*;q=0.1', 'application/xml', 'text/event-stream'],
  ...['image/png', 'application/json;q=0', 'q=', '', ',,,', '\xff'],
]

function targets({ path, query }: Usual): fc.Arbitrary<string> {
  const named = fc.tuple(
    fc.constantFrom(
      ...query.map(([name]) => name),
      ...['store_uuid', 'channel', 'asset_format', 'offset', 'limit', 'status', 'sku_codes', 'after', 'search'],
      ...['copy_taxonomy', 'linked_store_id', 'product_code', 'dry_run', 'if_changed_since', 'unknown'],
      '__proto__',
      'store%5Fuuid',
      'store_uuid[]',
      '%',
      '',
    ),
    hostileParameter,
  )
  const change = fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('replace' as const), named }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('add' as const), named }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('drop' as const), named }) },
  )
  const changed = fc.oneof(
    { weight: 4, arbitrary: fc.constant([]) },
    { weight: 6, arbitrary: fc.array(change, { minLength: 1, maxLength: 3 }) },
  )
  const paths = fc.oneof({ weight: 15, arbitrary: fc.constant(path) }, { weight: 1, arbitrary: hostilePath })
  return fc.tuple(paths, changed).map(([start, changes]) => {
    const pairs = changes.reduce<(readonly [string, string])[]>(
      (all, { kind, named: [name, value] }) => {
        const rest = kind === 'add' ? all : all.filter(([other]) => other !== name)
        return kind === 'drop' ? rest : [...rest, [name, value]]
      },
      query.map(([name, value]) => [name, encodeURIComponent(value)] as const),
    )
    return pairs.length === 0 ? start : `${start}?${pairs.map((pair) => pair.join('=')).join('&')}`
  })
}

/** A good body with up to three edits, mostly; sometimes another one, none, or one where none is taken. */
function bodies(usual: Json | undefined): fc.Arbitrary<string | undefined> {
  if (usual === undefined) return fc.option(hostileBody, { freq: 20, nil: undefined })
  const edited = fc.array(edits, { maxLength: 3 }).map((made) => jsonText(usual, made))
  return fc.oneof(
    { weight: 16, arbitrary: edited },
    { weight: 3, arbitrary: hostileBody },
    { weight: 1, arbitrary: fc.constantFrom(undefined, '') },
  )
}

export const edits: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom('replace', 'replace', 'replace', 'drop', 'twice', 'add'),
  at: fc.nat(),
  text: hostileValue,
})
