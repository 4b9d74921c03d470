import { getIntrospectionQuery } from 'graphql'
import { openWire } from '../../support/clients/wire.ts'
import { type Attacker, graphql, type Request, times } from './attacker.ts'
import { fill } from './attacks.ts'
import type { Attack } from './two-tenants.ts'

/** Sends the requests many times at once, each with both tokens of the store. */
function byBothTokens(attacker: Attacker, copies: number, ...requests: Request[]) {
  const { token, otherToken } = attacker
  const all = requests.flatMap((request) => [token, otherToken].map((by) => ({ ...request, token: by })))
  return attacker.send(...times(copies, () => all).flat())
}

const ofStore = ({ store }: Attacker, fields: string) => graphql(`{ store(storeUuid: "${store}") { ${fields} } }`)

const prepare = (attacker: Attacker) =>
  fill(attacker, 50_000, (i) => ({ Color: `color ${i % 7_000}`, Size: `${i}`, Text: 'a text of a product' }))

const facets = (attacker: Attacker) =>
  ofStore(attacker, 'facets(names: ["Color", "Size"]) { distinct missing values { value } }')
const contains = (attacker: Attacker) =>
  ofStore(
    attacker,
    'products(filter: { attributes: [{ name: "Text", contains: "zz" }] }) { totalCount nodes { productCode } }',
  )
/** A page that PostgreSQL makes of all changes of the store. */
const feedPage = (attacker: Attacker) =>
  ofStore(attacker, 'changes(first: 100, filter: { actor: "nobody" }) { nodes { requestId } }')

/** What the tokens of one store can do at once, where each does as much as one may. */
export const attacksOfTwoTokens: Attack[] = [
  {
    name: 'two tokens: facets',
    isLong: true,
    prepare,
    run: (attacker) => byBothTokens(attacker, 15, facets(attacker)),
  },
  {
    name: 'two tokens: facets, contains, feed pages',
    isLong: true,
    prepare,
    run: (attacker) => byBothTokens(attacker, 10, facets(attacker), contains(attacker), feedPage(attacker)),
  },
  {
    name: 'two tokens: CSV reports',
    isLong: true,
    prepare,
    run: (attacker) => {
      const headers = { accept: 'text/csv' }
      const { store } = attacker
      const paths = [`/v1/reports/changes?limit=10000`, `/v1/products?store_uuid=${store}&limit=100`]
      return byBothTokens(attacker, 20, ...paths.map((path) => ({ path, headers })))
    },
  },
  {
    name: 'two tokens: introspection, compressed',
    isLong: true,
    run: (attacker) => {
      const headers = { 'accept-encoding': 'br' }
      return byBothTokens(attacker, 50, graphql(getIntrospectionQuery(), {}, { headers }))
    },
  },
  {
    name: 'two tokens: a hundred requests on a connection',
    isLong: true,
    prepare,
    run: async ({ url, token, otherToken, store }) => {
      const sendHundred = async (by: string) => {
        using wire = await openWire(url)
        const head = `GET /v1/products?store_uuid=${store} HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${by}\r\n\r\n`
        wire.send(head.repeat(100))
        for (let i = 0; i < 100; i++) await wire.answer()
      }
      await Promise.all(times(10, (i) => sendHundred(i % 2 ? token : otherToken)))
    },
  },
  {
    name: 'two tokens: many headers',
    isLong: true,
    run: (attacker) => {
      const headers = Object.fromEntries(times(90, (i) => [`x${i}`, 'x'.repeat(150)]))
      return byBothTokens(attacker, 100, { path: `/v1/products?store_uuid=${attacker.store}`, headers })
    },
  },
  {
    name: 'anonymous: sixty clients load the scripts of the pages',
    isLong: true,
    run: (attacker) => {
      const scripts = ['graphiql', 'scalar'].map((name) => ({ path: `/static/${name}.js`, token: '' }))
      return attacker.send(...times(60, () => scripts).flat())
    },
  },
  {
    name: 'two tokens: all of these at once',
    isLong: true,
    prepare,
    run: (attacker) =>
      byBothTokens(
        attacker,
        10,
        ...[facets(attacker), contains(attacker), feedPage(attacker), graphql(getIntrospectionQuery())],
        { path: '/v1/reports/changes?limit=10000', headers: { accept: 'text/csv' } },
      ),
  },
]
