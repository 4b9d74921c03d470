import fc from 'fast-check'
import type { Fixture } from './fixture.ts'
import { documents } from './graphql-documents.ts'
import { type Operation, operations, queries } from './graphql-operations.ts'
import { hostileBody, hostileParameter } from './hostile.ts'
import { type Json, jsonText } from './json-text.ts'
import { framings, headers, methods, versions } from './request-parts.ts'
import { edits } from './rest-requests.ts'
import { type WireRequest, wireRequest } from './wire-request.ts'

/** Requests of /graphql: good operations with a fault in the document, the variables or the HTTP request. */
export function graphqlRequests(fixture: Fixture): fc.Arbitrary<WireRequest> {
  return fc
    .oneof(
      { weight: 4, arbitrary: fc.constantFrom(...operations(fixture)) },
      { weight: 1, arbitrary: fc.constantFrom(...queries(fixture)) },
    )
    .chain((operation) => documents(operation.query).map((query) => ({ ...operation, query })))
    .chain((operation) =>
      fc.oneof(
        { weight: 8, arbitrary: fc.record({ ...around('POST'), target: postTargets, body: bodies(operation) }) },
        { weight: 2, arbitrary: fc.record({ ...around('GET'), target: getTargets(operation), body: getBodies }) },
      ),
    )
    .map((parts) => wireRequest({ api: 'graphql', ...parts }))
}

const around = (method: string) => ({
  method: methods(method),
  version: versions,
  headers: headers(contentTypes, accepts),
  framing: framings,
})

const contentTypes = [
  ...['application/json', 'application/graphql+json', 'application/json; charset=utf-8'],
  ...['application/json;charset=utf-16', 'application/json, text/plain', 'application/graphql'],
  ...['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain', '', ';', '\xff'],
]

const accepts = [
  ...['*/*', 'application/json', 'application/graphql-response+json'],
  ...['application/graphql-response+json;q=0.1, application/json', 'application/json; charset=utf-16'],
  ...['application/xml', 'text/event-stream', 'multipart/mixed', 'multipart/mixed;boundary="x";deferSpec=20220824'],
  ...['application/*', 'image/png', '', ',;q=x', '\xff'],
]

const postTargets = fc.oneof(
  { weight: 20, arbitrary: fc.constant('/graphql') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...['/graphql?', '/graphql?query={__typename}', '/graphql?variables={}&variables=[]', '/graphql?%'],
      ...['/graphql#x', 'http://other.example/graphql', 'http://other.example:99999/graphql?query=%7B__typename%7D'],
      ...['/graphql/', '/graphql/x', '/GraphQL', '/graphql%00'],
    ),
  },
)

function bodies({ query, variables }: Operation): fc.Arbitrary<string | undefined> {
  // The document is bytes already, and jsonText turns characters into bytes: first back to characters.
  const text = Buffer.from(query, 'latin1').toString()
  const body: Json = { query: text, variables, operationName: null, extensions: {} }
  const edited = fc.array(edits, { maxLength: 3 }).map((made) => jsonText(body, made))
  const rawQuery = fc.constant(`{"query":"${query.replace(/["\\]/g, '\\$&').replace(/[\r\n\t]/g, ' ')}"}`)
  return fc.oneof(
    { weight: 14, arbitrary: edited },
    { weight: 1, arbitrary: rawQuery },
    { weight: 1, arbitrary: edited.map((one) => `[${one},${one}]`) },
    { weight: 2, arbitrary: hostileBody },
    { weight: 1, arbitrary: fc.constantFrom(undefined, '', query) },
  )
}

function getTargets({ query, variables }: Operation): fc.Arbitrary<string> {
  const usual: [string, string][] = [
    ['query', percentEncoded(query)],
    ['variables', encodeURIComponent(JSON.stringify(variables))],
  ]
  const more = fc.array(
    fc.tuple(
      fc.constantFrom<string[]>('query', 'variables', 'operationName', 'extensions', '__proto__', '%'),
      hostileParameter,
    ),
    { maxLength: 2 },
  )
  return more.map((pairs) => {
    const replaced = new Set(pairs.map(([name]) => name))
    const kept = usual.filter(([name]) => !replaced.has(name))
    const target = `/graphql?${[...kept, ...pairs].map((pair) => pair.join('=')).join('&')}`
    return target.length < 15_000 ? target : target.slice(0, 15_000)
  })
}

const getBodies = fc.option(hostileBody, { freq: 20, nil: undefined })

function percentEncoded(bytes: string): string {
  return bytes.replace(/[^\w.~-]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)
}
