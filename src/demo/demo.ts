import type { Logger } from 'pino'
import { addAssets } from '../catalog/add-assets.ts'
import { defineAttributes } from '../catalog/attribute-definitions.ts'
import type { Enumerations } from '../catalog/enumerations.ts'
import { countStores } from '../catalog/list-stores.ts'
import { upsertProducts } from '../catalog/products.ts'
import { createStore } from '../catalog/stores.ts'
import type { View, WriteView } from '../catalog/viewer.ts'
import { write } from '../catalog/write.ts'
import { demoDefinitions } from './definitions.ts'
import type { DemoProduct } from './products.ts'

interface DemoStore {
  name: string
  website: string
  /** The part of its product codes that is its own. */
  prefix: string
  products: number
  /** Whether it joins the group of the store before it. */
  isLinked: boolean
}

const stores: DemoStore[] = [
  {
    name: 'Fernwood Outfitters',
    website: 'https://fernwood.example.com',
    prefix: 'FW',
    products: 150,
    isLinked: false,
  },
  { name: 'Fernwood Outlet', website: 'https://outlet.example.com', prefix: 'FO', products: 50, isLinked: true },
  { name: 'Harbour & Home', website: 'https://harbour.example.com', prefix: 'HH', products: 100, isLinked: false },
]

/**
 * Fills an empty database with a small catalogue that is made up from a fixed seed: stores, attribute definitions, products and
 * their assets, whole or not at all. A database that has a store is left alone.
 */
export async function fillDemo(db: View, enumerations: Enumerations, log: Logger): Promise<void> {
  if ((await countStores(db, {})) > 0) {
    log.info('the database has stores already: no demo catalogue was added')
    return
  }
  // Loaded here: it delays no start without a demo.
  const { makeProducts } = await import('./products.ts')
  const channels = enumerations.channels.slice(0, 3)
  const catalogue = makeProducts(stores, channels, enumerations.assetFormats)
  await write(db, false, async (transaction) => {
    let before: string | undefined
    for (const store of stores) {
      before = await fillStore(transaction, enumerations, channels, store, before, catalogue.get(store.prefix) ?? [])
    }
  })
  const products = [...catalogue.values()].flat()
  const links = products.flatMap(({ assets }) => assets).length
  log.info({ stores: stores.length, products: products.length, links }, 'demo catalogue added')
}

/** Creates a store with its products and returns its UUID. */
async function fillStore(
  db: WriteView,
  enumerations: Enumerations,
  channels: readonly string[],
  { name, website, isLinked }: DemoStore,
  before: string | undefined,
  products: readonly DemoProduct[],
): Promise<string> {
  const link = { linkedStoreId: isLinked ? before : undefined, copyTaxonomy: isLinked }
  const input = {
    storeName: name,
    storeTaxonomy: enumerations.storeTaxonomies[0] ?? '',
    region: enumerations.regions.slice(4, 7),
    channels,
    defaultAutomation: enumerations.defaultAutomations.slice(0, 3),
    storeWebsite: website,
  }
  const { storeUuid } = await createStore(db, enumerations, input, link)
  if (!isLinked) await defineAttributes(db, storeUuid, demoDefinitions)
  await upsertProducts(
    db,
    storeUuid,
    products.map(({ patch }) => patch),
  )
  await addAssets(
    db,
    enumerations,
    storeUuid,
    products.flatMap(({ assets }) => assets),
  )
  return storeUuid
}
