import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Call } from '../support/clients/http.ts'
import { define } from '../support/factories.ts'
import { token } from '../support/servers/gateway.ts'
import { useGatewayProcess } from './support/gateway-process.ts'
import { quantile } from './support/quantile.ts'
import { figure, isLong } from './support/scale.ts'

const rounds = isLong ? 5 : 1

const gateway = useGatewayProcess()
beforeAll(async () => {
  await fillWithLargePages()
  const definition = { name: 'Slow', type: 'TEXT', pattern: '(a{0,100}){0,4}b' }
  await define(gateway.program, gateway.store, [definition])
})

/** Pages of 6.5 MB and, on another channel's groups, of 15 MB: what nobody can know before it is read. */
async function fillWithLargePages(): Promise<void> {
  const { store } = gateway
  const { db } = gateway.database
  await sql`insert into product (store_uuid, product_code, status, attributes)
    select ${store}, 'long ' || n, 'new', jsonb_build_object('Text', repeat('lorem ', 10922)) from generate_series(1, 100) n`.execute(
    db,
  )
  await sql`insert into asset_group_total (store_uuid, channel, asset_format, shard, groups, version)
    values (${store}, 'SMP', 'image', 0, 50, 1)`.execute(db)
  await sql`insert into asset_group (store_uuid, channel, asset_format, parent_code, entries)
    select ${store}, 'SMP', 'image', 'g' || g, '[' || string_agg('["asset-' || g || '-' || a
      || '","https://cdn.example.com/catalogue/media/' || g || '/' || a || '/front-view-of-the-product.jpg"]', ',' order by a) || ']'
    from generate_series(1, 50) g, generate_series(1, 2000) a group by g`.execute(db)
}

/** The delays of the gateway's event loop since the last call of this, in ms, as its own metrics have them. */
async function loopDelays(): Promise<{ p99: number; most: number }> {
  const { text } = await gateway.program.call('/metrics')
  const figureOf = (name: string) =>
    Number(new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)`, 'm').exec(text)?.[1]) * 1_000
  return { p99: figureOf('p99'), most: figureOf('max') }
}

/** What others wait while the work is done: the times of a request that needs nothing but the loop, in ms. */
async function waitsDuring(work: () => Promise<unknown>): Promise<number[]> {
  const waits: number[] = []
  let done = false
  const probing = (async () => {
    while (!done) {
      waits.push((await gateway.program.call('/health')).milliseconds)
      await sleep(2)
    }
  })()
  await work().finally(() => {
    done = true
  })
  await probing
  return waits
}

const query = () => `${gateway.program.url}/v1/products?store_uuid=${gateway.store}`
const upTo = <T>(n: number, item: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => item(i))
const manyNames = (n: number, value: unknown = '') => Object.fromEntries(upTo(n, (i) => [`a${i}`, value]))
const urlFields = (p: number) =>
  Object.fromEntries(upTo(60, (i) => [`Image URL ${i + 1}`, `https://example.com/${p}/${i}.jpg`]))
/** A list of products, each with its code and more fields. */
const productsOf = (n: number, fieldsOf: (i: number) => object) =>
  JSON.stringify(upTo(n, (i) => ({ product_code: `p${i}`, ...fieldsOf(i) })))

const tenThousand = productsOf(10_000, () => ({ Color: 'Blue', Category: 'Lamps' }))
const tenMebibytes = productsOf(9_000, () => ({ Text: 'x'.repeat(1_100) }))
const manyAttributes = productsOf(1, () => manyNames(300_000))
const thirtyWide = productsOf(30, () => manyNames(10_000))
const oneCode = productsOf(10_000, (i) => ({ product_code: 'p1', [`own ${i}`]: 'x' }))
const allBad = productsOf(10_000, () => manyNames(60, 1))
const manyUrls = productsOf(1_000, (p) => ({ product_code: `u${p}`, ...urlFields(p) }))
const nested = `[{"product_code":"p1","deep":${'['.repeat(4_000_000)}${']'.repeat(4_000_000)}}]`
const fields = 'edges { cursor node { productCode status attributes createdAt updatedAt } }'
const update =
  'mutation ($s: ID!, $p: [ProductPatch!]!) { updateProducts(storeUuid: $s, products: $p) { updatedSkus } }'

const put = (body: string, method = 'PUT') => ({ url: query(), sent: { method, token, body } })
const ask = (body: unknown) => ({ url: `${gateway.program.url}/graphql`, sent: { method: 'POST', token, body } })
const get = (path: string) => ({ url: `${gateway.program.url}${path}`, sent: { token } })
const remove = (items: unknown) => ({
  url: `${gateway.program.url}/v1/assets`,
  sent: { method: 'DELETE', token, body: items },
})

/** The worst that is accepted, or read before it is refused. */
const worst: Record<string, () => { url: string; sent: Call }> = {
  'POST of 10,000 products': () => put(tenThousand, 'POST'),
  'PUT of 10,000 products': () => put(tenThousand),
  'PUT of 10 MiB': () => put(tenMebibytes),
  'PUT of a product with 300,000 attributes': () => put(manyAttributes),
  'PUT of 30 products with 10,000 attributes each': () => put(thirtyWide),
  'PUT of 10,000 entries of one product': () => put(oneCode),
  'PUT of 10,000 products with 60 bad attributes each': () => put(allBad),
  'POST of 1,000 products with 60 URLs each': () => put(manyUrls, 'POST'),
  'DELETE of 10,000 items': () =>
    remove(upTo(10_000, (i) => ({ store_uuid: gateway.store, asset_id: [`a${i}`], channel: 'SMP' }))),
  'a body nested 4,000,000 deep': () => put(nested),
  'a document of 10 MiB': () => ask({ query: `{ ${'a '.repeat(2_500_000)} }` }),
  'variables of 10 MiB': () => {
    const p = upTo(9_000, (i) => ({ productCode: `p${i}`, attributes: { Text: 'y'.repeat(1_100) } }))
    return ask({ query: update, variables: { s: gateway.store, p } })
  },
  'variables that do not fit, 10,000 of them': () => {
    const p = upTo(10_000, (i) => ({ productCode: i, attributes: { Text: 7 } }))
    return ask({ query: update, variables: { s: gateway.store, p } })
  },
  'PUT of 60 KB against a pattern of 800 steps': () =>
    put(productsOf(200, (i) => ({ product_code: `long ${i}`, Slow: 'a'.repeat(300) }))),
  'GET of 100 products of 64 KiB': () => get(`/v1/products?store_uuid=${gateway.store}`),
  '100 products of 64 KiB in one operation': () =>
    ask({ query: `{ store(storeUuid: "${gateway.store}") { products(first: 100) { ${fields} } } }` }),
  'GET of 50 groups of 2,000 assets': () => get(`/v1/assets?store_uuid=${gateway.store}`),
  '50 groups of 2,000 assets in one operation': () =>
    ask({ query: `{ assetGroups(storeUuid: "${gateway.store}") { groups { parentCode assets { assetId url } } } }` }),
  'twenty pages of 100 products in one operation': () => {
    const pages = upTo(20, (i) => `a${i}: products(first: 100) { ${fields} }`)
    return ask({ query: `{ store(storeUuid: "${gateway.store}") { ${pages.join(' ')} } }` })
  },
}

/** The figures to reach are p99 20 ms and at most 100 ms, on a machine that does nothing else. */
const maxMs = isLong ? 100 : 5_000

/** The short form has one of each kind. */
const few = [
  'PUT of 30 products with 10,000 attributes each',
  'PUT of 10,000 entries of one product',
  'variables of 10 MiB',
  '50 groups of 2,000 assets in one operation',
]
const chosen = Object.entries(worst).filter(([name]) => isLong || few.includes(name))

describe('the event loop during the worst requests', () => {
  it.each(chosen)('%s', async (name, request) => {
    await gateway.clientProcess.run('sendInTurn', { ...request(), rounds: 1 }) // compiles the code, starts the thread
    await loopDelays()
    let statuses: number[] = []
    const waits = await waitsDuring(async () => {
      statuses = await gateway.clientProcess.run('sendInTurn', { ...request(), rounds })
    })
    const { p99, most } = await loopDelays()
    expect(statuses.filter((status) => status >= 500)).toEqual([])
    figure(
      12,
      `${name}: loop delay p99 ${p99.toFixed(0)} ms, at most ${most.toFixed(0)} ms; others wait p99 ${quantile(waits, 0.99).toFixed(0)} ms, at most ${quantile(waits, 1).toFixed(0)} ms`,
    )
    expect(most).toBeLessThan(maxMs)
  })
})
