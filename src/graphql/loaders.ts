import DataLoader from 'dataloader'
import { listGroupsOfParents } from '../catalogue/asset-groups/asset-groups.ts'
import { type Filter, findPage } from '../catalogue/asset-groups/list-groups.ts'
import { listDefinitions } from '../catalogue/attributes/attribute-definitions.ts'
import type { StoredDefinition } from '../catalogue/attributes/attribute-rules.ts'
import { findViolations } from '../catalogue/attributes/attribute-violations.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { countProducts, countStatuses, findProducts, listProducts } from '../catalogue/products/list-products.ts'
import { listStoresOfGroups } from '../catalogue/stores/list-stores.ts'
import { findStores } from '../catalogue/stores/stores.ts'

/** For pages of many stores. */
const filterCallsAtOnce = 10

export type Loaders = ReturnType<typeof createLoaders>

interface ProductKey {
  storeUuid: string
  productCode: string
}

/** One request's relations. Nothing is kept between batches: a mutation's answer shows what it has written. */
export function createLoaders(catalogue: Catalogue, filter: Filter | undefined) {
  return {
    store: batched((uuids: readonly string[]) => findStores(catalogue, uuids)),
    linkedStores: batched((groups: readonly string[]) => listStoresOfGroups(catalogue, groups)),
    attributeDefinitions: ofStores((uuid) => listDefinitions(catalogue, uuid)),
    attributeViolations: byStore(
      (uuid, definitions: readonly StoredDefinition[]) => findViolations(catalogue, uuid, definitions),
      ({ name }) => name,
    ),
    productCounts: ofStores((uuid) => countStatuses(catalogue, uuid)),
    product: byStore(async (uuid, keys: readonly ProductKey[]) => {
      const products = await findProducts(catalogue, uuid, keys.map(codeOf))
      return new Map(products.map((product) => [product.productCode, product]))
    }, codeOf),
    products: perArguments((args: Parameters<typeof listProducts> extends [unknown, unknown, ...infer A] ? A : never) =>
      ofStores((uuid) => listProducts(catalogue, uuid, ...args)),
    ),
    productCount: perArguments((filter: Parameters<typeof countProducts>[2]) =>
      ofStores((uuid) => countProducts(catalogue, uuid, filter)),
    ),
    assetGroupPage: perArguments((query: Parameters<typeof findPage>[2]) =>
      ofStores((uuid) => findPage(catalogue, uuid, query, filter), filter ? filterCallsAtOnce : 1),
    ),
    assetGroupsOfParent: perArguments((narrow: Parameters<typeof listGroupsOfParents>[3]) =>
      byStore(async (uuid, keys: readonly ProductKey[]) => {
        const groups = await listGroupsOfParents(catalogue, uuid, keys.map(codeOf), narrow)
        return Map.groupBy(groups, (group) => group.parentCode)
      }, codeOf),
    ),
  }
}

/** A loader whose batch function gets each key once and answers by key; a key without an answer is undefined. */
function batched<K, V>(load: (keys: readonly K[]) => Promise<Map<string, V>>, keyName: (key: K) => string = String) {
  return new DataLoader<K, V | undefined>(
    async (keys) => {
      const unique = new Map(keys.map((key) => [keyName(key), key]))
      const found = await load([...unique.values()])
      return keys.map((key) => found.get(keyName(key)))
    },
    { cache: false },
  )
}

/**
 * The same for keys in stores: the batch function gets those of one store, and answers by their names in it. A statement
 * reads from one store, and a request with many stores has one connection for each field.
 */
function byStore<K extends { storeUuid: string }, V>(
  load: (storeUuid: string, keys: readonly K[]) => Promise<Map<string, V>>,
  nameOf: (key: K) => string,
) {
  const keyName = (storeUuid: string, name: string) => `${storeUuid}/${name}`
  return batched(
    async (keys: readonly K[]) => {
      const found = new Map<string, V>()
      for (const [storeUuid, ofStore] of Map.groupBy(keys, (key) => key.storeUuid)) {
        for (const [name, value] of await load(storeUuid, ofStore)) found.set(keyName(storeUuid, name), value)
      }
      return found
    },
    (key) => keyName(key.storeUuid, nameOf(key)),
  )
}

/** The same for stores themselves. */
function ofStores<V>(load: (storeUuid: string) => Promise<V>, atOnce = 1) {
  return batched(async (uuids: readonly string[]) => {
    const found = new Map<string, V>()
    for (let begin = 0; begin < uuids.length; begin += atOnce) {
      const part = uuids.slice(begin, begin + atOnce)
      await Promise.all(part.map(async (uuid) => found.set(uuid, await load(uuid))))
    }
    return found
  })
}

/** A loader for each set of arguments that the request's fields come with. */
function perArguments<A, L>(create: (args: A) => L): (args: A) => L {
  const loaders = new Map<string, L>()
  return (args) => {
    const name = JSON.stringify(args)
    const loader = loaders.get(name) ?? create(args)
    loaders.set(name, loader)
    return loader
  }
}

function codeOf({ productCode }: ProductKey): string {
  return productCode
}
