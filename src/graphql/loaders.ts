import DataLoader from 'dataloader'
import { listGroupsOfParents } from '../catalogue/asset-groups/asset-groups.ts'
import { type Filter, listPages } from '../catalogue/asset-groups/list-groups.ts'
import { listDefinitions } from '../catalogue/attributes/attribute-definitions.ts'
import type { StoredDefinition } from '../catalogue/attributes/attribute-rules.ts'
import { type AttributeViolations, findViolations } from '../catalogue/attributes/attribute-violations.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import {
  countProducts,
  countStatuses,
  findProducts,
  listProducts,
  type ProductKey,
} from '../catalogue/products/list-products.ts'
import { listStoresOfGroups } from '../catalogue/stores/list-stores.ts'
import { findStores } from '../catalogue/stores/stores.ts'

export type Loaders = ReturnType<typeof createLoaders>

/** One request's relations. Nothing is kept between batches: a mutation's answer shows what it has written. */
export function createLoaders(catalogue: Catalogue, filter: Filter | undefined) {
  return {
    store: batched((uuids: readonly string[]) => findStores(catalogue, uuids)),
    linkedStores: batched((groups: readonly string[]) => listStoresOfGroups(catalogue, groups)),
    attributeDefinitions: batched((uuids: readonly string[]) => listDefinitions(catalogue, uuids)),
    attributeViolations: batched(
      async (definitions: readonly StoredDefinition[]) => {
        const found = new Map<string, AttributeViolations>()
        for (const [storeUuid, group] of Map.groupBy(definitions, (definition) => definition.storeUuid)) {
          for (const [name, violations] of await findViolations(catalogue, storeUuid, group))
            found.set(`${storeUuid}/${name}`, violations)
        }
        return found
      },
      (definition) => `${definition.storeUuid}/${definition.name}`,
    ),
    productCounts: batched((uuids: readonly string[]) => countStatuses(catalogue, uuids)),
    product: batched(async (keys: readonly ProductKey[]) => {
      const products = await findProducts(catalogue, keys)
      return new Map(products.map((product) => [keyOf(product), product]))
    }, keyOf),
    products: perArguments((args: Parameters<typeof listProducts> extends [unknown, unknown, ...infer A] ? A : never) =>
      batched((uuids: readonly string[]) => listProducts(catalogue, uuids, ...args)),
    ),
    productCount: perArguments((filter: Parameters<typeof countProducts>[2]) =>
      batched((uuids: readonly string[]) => countProducts(catalogue, uuids, filter)),
    ),
    assetGroupPage: perArguments((query: Parameters<typeof listPages>[2]) =>
      batched((uuids: readonly string[]) => listPages(catalogue, uuids, query, filter)),
    ),
    assetGroupsOfParent: perArguments((narrow: Parameters<typeof listGroupsOfParents>[2]) =>
      batched(async (keys: readonly ProductKey[]) => {
        const groups = await listGroupsOfParents(catalogue, keys, narrow)
        return Map.groupBy(groups, (group) => keyOf({ ...group, productCode: group.parentCode }))
      }, keyOf),
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

function keyOf({ storeUuid, productCode }: ProductKey): string {
  return `${storeUuid}/${productCode}`
}
