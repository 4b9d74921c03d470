import { hash } from 'node:crypto'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestGateway, type TestGateway, token } from '../support/servers/gateway.ts'
import { root } from '../support/sources.ts'

const tools = createRequire(join(root, 'tools/package.json'))
const document = 'query Count($filter: StoreFilter) {\n  stores(filter: $filter) {\n    totalCount\n  }\n}'
const answer = { stores: { totalCount: 0 } }

/** What gateways keep: no documents, others than the one that the clients send, or this one only. */
const known = {
  'no documents': undefined,
  'another document': { documents: new Map([['another', '{ stores { totalCount } }']]), only: false },
  'this document': { documents: new Map([[hash('sha256', document), document]]), only: true },
}

describe.each(Object.keys(known) as (keyof typeof known)[])('a gateway that keeps %s', (name) => {
  let gateway: TestGateway
  /** Whether each request of the client had the text of the document. */
  let sent: boolean[] = []
  beforeAll(async () => {
    const persistedDocuments = known[name]
    gateway = await startTestGateway({ ...(persistedDocuments && { more: { persistedDocuments } }) })
  })
  afterAll(() => gateway.stop())

  const send = async (url: string | URL | Request, init: RequestInit = {}) => {
    const isGet = init.body === undefined
    const text = isGet ? new URL(String(url)).searchParams.get('query') : JSON.parse(String(init.body)).query
    sent.push(typeof text === 'string')
    const headers = { ...Object.fromEntries(new Headers(init.headers)), authorization: `Bearer ${token}` }
    return fetch(url, { ...init, headers })
  }
  const first = name === 'this document' ? [false] : [false, true]

  it('answers Apollo Client, which sends the hash first', async () => {
    const { ApolloClient, HttpLink, InMemoryCache, gql } = tools('@apollo/client/core')
    const { createPersistedQueryLink } = tools('@apollo/client/link/persisted-queries')
    const http = new HttpLink({ uri: `${gateway.url}/graphql`, fetch: send })
    const link = createPersistedQueryLink({ sha256: (text: string) => hash('sha256', text) }).concat(http)
    const cache = new InMemoryCache({ addTypename: false })
    const client = new ApolloClient({ link, cache, defaultOptions: { query: { fetchPolicy: 'no-cache' } } })
    sent = []
    for (let i = 0; i < 2; i++) {
      const { data, errors } = await client.query({ query: gql(document), variables: { filter: null } })
      expect({ data, errors }).toEqual({ data: answer, errors: undefined })
      if (i === 0) expect(sent).toEqual(first)
    }
  })

  it('answers urql, which sends the hash first', async () => {
    const { Client, fetchExchange } = tools('@urql/core')
    const { persistedExchange } = tools('@urql/exchange-persisted')
    const exchange = persistedExchange({
      preferGetForPersistedQueries: false,
      generateHash: (text: string) => hash('sha256', text),
    })
    const client = new Client({ url: `${gateway.url}/graphql`, exchanges: [exchange, fetchExchange], fetch: send })
    sent = []
    for (let i = 0; i < 2; i++) {
      const { data, error } = await client
        .query(document, { filter: null }, { requestPolicy: 'network-only' })
        .toPromise()
      expect({ data, error }).toEqual({ data: answer, error: undefined })
      if (i === 0) expect(sent).toEqual(first)
    }
  })
})
