import DataLoader from 'dataloader'
import { mapStores } from '../catalogue/catalogue.ts'

/** A loader whose batch function gets each key once and answers by key; a key without an answer is undefined. */
export function batched<K, V>(
  load: (keys: readonly K[]) => Promise<Map<string, V>>,
  keyName: (key: K) => string = String,
) {
  return new DataLoader<K, V | undefined>(
    async (keys) => {
      const unique = new Map(keys.map((key) => [keyName(key), key]))
      const found = await load([...unique.values()])
      return keys.map((key) => found.get(keyName(key)))
    },
    { cache: false },
  )
}

/** The same for keys within stores: the batch function gets the keys of one store, and answers by their names in it. */
export function byStore<K extends { storeUuid: string }, V>(
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

/** The same for objects that are named by one of their fields. */
export function byField<Field extends string, V>(
  field: Field,
  load: (storeUuid: string, names: string[]) => Promise<Map<string, V>>,
) {
  type Key = { storeUuid: string } & Record<Field, string>
  const nameOf = (key: Key): string => key[field]
  return byStore((storeUuid, keys: readonly Key[]) => load(storeUuid, keys.map(nameOf)), nameOf)
}

/** A loader for one result of each store, which a statement of its own reads: a few of them at once. */
export function ofStores<V>(load: (storeUuid: string) => Promise<V>, atOnce?: number) {
  const loadAll = async (uuids: readonly string[]) =>
    new Map(await mapStores(uuids, async (uuid) => [uuid, await load(uuid)] as const, atOnce))
  return batched(loadAll) as DataLoader<string, V>
}

/** One loader for each distinct set of arguments in the request. */
export function perArguments<A, L>(create: (args: A) => L): (args: A) => L {
  const loaders = new Map<string, L>()
  return (args) => {
    const name = JSON.stringify(args)
    const loader = loaders.get(name) ?? create(args)
    loaders.set(name, loader)
    return loader
  }
}
