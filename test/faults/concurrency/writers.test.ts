import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { checkReadModel } from '../../../src/catalogue/check-read-model.ts'
import { storeBody } from '../../support/factories.ts'
import { Random } from '../../support/random.ts'
import { onCitus, startTwoGateways, type TwoGateways, together, writers } from './two-gateways.ts'

/** WRITERS_ROUNDS makes it longer, WRITERS_SEED (`random` for another each time) different. */
const rounds = Number(process.env.WRITERS_ROUNDS ?? (onCitus ? 1 : 4))
const seed = process.env.WRITERS_SEED === 'random' ? Date.now() | 0 : Number(process.env.WRITERS_SEED ?? 20_261_121)
const timeout = (onCitus ? 5 : 1) * (30_000 + rounds * 10_000)
const randomOf = (writer: number) => new Random(seed + writer * 7_919)

let gateways: TwoGateways
let store: string
beforeAll(async () => {
  gateways = await startTwoGateways()
})
afterAll(() => gateways.stop())
beforeEach(async () => {
  store = ((await gateways.call(0, 'POST', '/stores', storeBody())) as { store_uuid: string }).store_uuid
})

const upsert = `mutation ($store: ID!, $products: [ProductPatch!]!) {
  upsertProducts(storeUuid: $store, products: $products) { createdSkus updatedSkus } }`
const add = `mutation ($store: ID!, $assets: [NewAsset!]!) {
  addAssets(storeUuid: $store, assets: $assets) { added linked failed } }`
const attributesOf = `query ($store: ID!) { store(storeUuid: $store) {
  products(first: 100) { edges { node { productCode status attributes } } } } }`

const remove = `mutation ($store: ID!, $codes: [String!]!) {
  deleteProducts(storeUuid: $store, productCodes: $codes) { deletedSkus } }`

interface Updated {
  updated_skus: string[]
  unavailable_skus: string[]
}
interface Created {
  created_skus: string[]
  existing_skus: string[]
}
interface Upserted {
  createdSkus: string[]
}
interface Removed {
  deletedSkus: string[]
}
interface Deleted {
  deleted_count: number
  failed: number
}
interface Unlinked {
  unlinked: number
  failed: number
}
interface Added {
  added: number
  linked: number
  failed: number
}
interface Node {
  productCode: string
  status: string
  attributes: Record<string, string>
}

async function products(writer = 0): Promise<Node[]> {
  const { store: found } = (await gateways.graphql(writer, attributesOf, { store })) as {
    store: { products: { edges: { node: Node }[] } }
  }
  return found.products.edges.map(({ node }) => node)
}

it(
  `loses no update of ${writers} writers that put overlapping products in random order (seed ${seed})`,
  async () => {
    const codes = Array.from({ length: 100 }, (_, i) => `sku-${i}`)
    await gateways.graphql(0, upsert, { store, products: codes.map((productCode) => ({ productCode })) })
    const written = new Map<string, Record<string, string>>(codes.map((code) => [code, {}]))

    await together(async (writer) => {
      const random = randomOf(writer)
      for (let round = 0; round < rounds; round++) {
        const chosen = random.some(codes, 1 + random.below(codes.length))
        const value = `${round}`
        const body = chosen.map((code) => ({ product_code: code, [`writer ${writer}`]: value }))
        const answer = (await gateways.call(writer, 'PUT', `/products?store_uuid=${store}`, body)) as Updated
        expect(answer.updated_skus).toEqual(chosen)
        for (const code of chosen) Object.assign(written.get(code) ?? {}, { [`writer ${writer}`]: value })
      }
    })

    const found = await products()
    expect(new Map(found.map((node) => [node.productCode, node.attributes]))).toEqual(written)
  },
  timeout,
)

it(
  `writes each request whole: products always show what one request wrote to all of them (seed ${seed})`,
  async () => {
    const codes = Array.from({ length: 8 }, (_, i) => `twin-${i}`)
    const random = new Random(seed)
    const words = Array.from({ length: 12 }, () => codes.map(() => ['red', 'blue'][random.below(2)] ?? ''))
    const write = (writer: number, word: readonly string[]) => {
      const chosen = randomOf(writer).shuffled([...word.entries()])
      return writer % 8 === 0
        ? gateways.graphql(writer, upsert, {
            store,
            products: chosen.map(([i, Color]) => ({ productCode: codes[i], attributes: { Color } })),
          })
        : gateways.call(
            writer,
            'PUT',
            `/products?store_uuid=${store}`,
            chosen.map(([i, Color]) => ({ product_code: codes[i], Color })),
          )
    }
    const shown = async (writer: number) => (await products(writer)).map(({ attributes }) => attributes.Color)
    await write(0, words[0] ?? [])

    await together(async (writer) => {
      const own = randomOf(writer)
      for (let round = 0; round < rounds * 4; round++) {
        await write(writer, words[own.below(words.length)] ?? [])
        if (writer % 8 === 1) expect(words).toContainEqual(await shown(writer))
      }
    })
    expect(words).toContainEqual(await shown(0))
  },
  timeout,
)

it(
  `creates and deletes each product once when ${writers} writers create, put, upsert and delete the same ones (seed ${seed})`,
  async () => {
    const codes = Array.from({ length: 30 }, (_, i) => `sku-${i}`)
    let there = 0
    await together(async (writer) => {
      const random = randomOf(writer)
      for (let round = 0; round < rounds * 2; round++) {
        const chosen = random.some(codes, 1 + random.below(codes.length))
        const items = chosen.map((code) => ({ product_code: code, [`writer ${writer}`]: `${round}` }))
        switch (random.below(4)) {
          case 0: {
            const created = (await gateways.call(writer, 'POST', `/products?store_uuid=${store}`, items)) as Created
            expect(created.created_skus.length + created.existing_skus.length).toBe(chosen.length)
            there += created.created_skus.length
            break
          }
          case 1: {
            const updated = (await gateways.call(writer, 'PUT', `/products?store_uuid=${store}`, items)) as Updated
            expect(updated.updated_skus.length + updated.unavailable_skus.length).toBe(chosen.length)
            break
          }
          case 2: {
            const products = chosen.map((productCode) => ({ productCode, attributes: { Size: `${round}` } }))
            const { upsertProducts } = (await gateways.graphql(writer, upsert, { store, products })) as {
              upsertProducts: Upserted
            }
            there += upsertProducts.createdSkus.length
            break
          }
          default: {
            const { deleteProducts } = (await gateways.graphql(writer, remove, { store, codes: chosen })) as {
              deleteProducts: Removed
            }
            there -= deleteProducts.deletedSkus.length
          }
        }
      }
    })
    expect(await rowsOf('product')).toBe(there)
  },
  timeout,
)

it(
  `counts every asset and link once when ${writers} writers add, unlink and delete in the same groups (seed ${seed})`,
  async () => {
    const parents = ['p0', 'p1', 'p2', '__proto__']
    const channels = ['SMP', 'channel_value_1']
    const ids = Array.from({ length: 120 }, (_, i) => `asset-${i}`)
    const places = parents.flatMap((parentCode) => channels.map((channel) => ({ parentCode, channel })))
    const links = ids.flatMap((assetId, i) =>
      places.map((place) => ({ ...place, assetId, format: i % 3 ? 'image' : 'pdf' })),
    )
    const sum = { added: 0, linked: 0, unlinked: 0, deleted: 0 }

    await together(async (writer) => {
      for (const part of partsOf(randomOf(writer).some(links, links.length * shareOf(16)), rounds)) {
        const assets = part.map(({ format, ...link }) => ({
          ...link,
          assetFormat: format,
          url: `https://assets.example/${link.assetId}`,
        }))
        const { addAssets } = (await gateways.graphql(writer, add, { store, assets })) as { addAssets: Added }
        expect(addAssets.failed).toBe(0)
        sum.added += addAssets.added
        sum.linked += addAssets.linked
      }
    })
    expect(sum).toMatchObject({ added: ids.length, linked: links.length })

    // One half of the assets is unlinked everywhere, the other half deleted, in the same groups, by everyone at once.
    const [unlinkable, doomed] = [links.filter((_, i) => i % 16 < 8), ids.filter((_, i) => i % 2 === 1)]
    await together(async (writer) => {
      const random = randomOf(writer)
      const deletions = partsOf(random.some(doomed, doomed.length * shareOf(32)), rounds)
      for (const [i, part] of partsOf(random.some(unlinkable, unlinkable.length * shareOf(32)), rounds).entries()) {
        const named = part.map(({ parentCode, channel, assetId }) => ({
          store_uuid: store,
          parent_code: parentCode,
          channel,
          asset_id: assetId,
        }))
        const unlinked = (await gateways.call(writer, 'POST', '/assets/unlink', named)) as Unlinked
        expect(unlinked.unlinked + unlinked.failed).toBe(part.length)
        sum.unlinked += unlinked.unlinked
        const asset_id = deletions[i] ?? []
        const deleted = (await gateways.call(writer, 'DELETE', '/assets', [{ store_uuid: store, asset_id }])) as Deleted
        expect(deleted.deleted_count + deleted.failed).toBe(asset_id.length)
        sum.deleted += deleted.deleted_count
      }
    })
    expect(sum).toMatchObject({ unlinked: unlinkable.length, deleted: doomed.length })
    expect(await rowsOf('asset')).toBe(ids.length - doomed.length)
    expect(await rowsOf('asset_link')).toBe(0)
    expect(await rowsOf('asset_group')).toBe(0)
    expect(await checkReadModel(gateways.gateway.database.db)).toEqual([])
  },
  timeout,
)

it(
  `keeps the read model and the sums exact when assets come and go in the same groups (seed ${seed})`,
  async () => {
    const parents = ['p0', 'p1', 'p2']
    const ids = Array.from({ length: 40 }, (_, i) => `asset-${i}`)
    let assets = 0
    await together(async (writer) => {
      const random = randomOf(writer)
      for (let round = 0; round < rounds * 2; round++) {
        const chosen = random.some(ids, 1 + random.below(ids.length))
        const parentCode = parents[random.below(parents.length)] ?? ''
        switch (random.below(4)) {
          case 0:
          case 1: {
            const items = chosen.map((assetId) => ({ assetId, parentCode, url: `https://assets.example/${assetId}` }))
            const { addAssets } = (await gateways.graphql(writer, add, { store, assets: items })) as {
              addAssets: Added
            }
            assets += addAssets.added
            break
          }
          case 2: {
            const item = { store_uuid: store, parent_code: parentCode, channel: 'SMP', asset_id: chosen }
            const { unlinked, failed } = (await gateways.call(writer, 'POST', '/assets/unlink', [item])) as Unlinked
            expect(unlinked + failed).toBe(chosen.length)
            break
          }
          default: {
            const item = {
              store_uuid: store,
              ...(round % 3 === 0 ? { parent_code: parentCode } : { asset_id: chosen }),
            }
            const { deleted_count } = (await gateways.call(writer, 'DELETE', '/assets', [item])) as Deleted
            assets -= deleted_count
          }
        }
      }
    })
    expect(await rowsOf('asset')).toBe(assets)
    const page = (await gateways.call(0, 'GET', `/assets?store_uuid=${store}`)) as {
      total_groups: number
      assets: object
    }
    expect(page.total_groups).toBe(Object.keys(page.assets).length)
    expect(await checkReadModel(gateways.gateway.database.db)).toEqual([])
  },
  timeout,
)

async function rowsOf(table: 'product' | 'asset' | 'asset_link' | 'asset_group'): Promise<number> {
  const found = sql`select from ${sql.table(table)} where store_uuid = ${store}`
  return (await found.execute(gateways.gateway.database.db)).rows.length
}

/** The share that each writer takes, so that every item is taken by about `times` of them. */
function shareOf(times: number): number {
  return Math.min(1, times / writers)
}

/** The items in so many parts, the last ones perhaps empty. */
function partsOf<T>(items: readonly T[], parts: number): T[][] {
  const size = Math.ceil(items.length / parts)
  return Array.from({ length: parts }, (_, i) => items.slice(i * size, (i + 1) * size))
}
