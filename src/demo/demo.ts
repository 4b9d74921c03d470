import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import { defineAttributes } from '../catalogue/attributes/attribute-definitions.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { inventChanges } from '../catalogue/changes/invent-changes.ts'
import { inventMeasures } from '../catalogue/dashboards/measures.ts'
import type { Enumerations } from '../catalogue/enumerations.ts'
import { countStores } from '../catalogue/stores/list-stores.ts'
import { createStore } from '../catalogue/stores/stores.ts'
import { inTransaction } from '../catalogue/transaction.ts'
import { importFile } from '../import/import-file.ts'
import { importRequest } from '../import/options.ts'

/** `demo.json`: the stores and their attribute definitions. */
interface Demo {
  stores: {
    name: string
    website: string
    /** The CSV file with its products. */
    file: string
    /** How many channels show its assets. */
    channels: number
    /** Whether it joins the group of the store before it, with the definitions of that one. */
    isLinked: boolean
  }[]
  definitions: Parameters<typeof defineAttributes>[2]
}

/** For how many days before today charts have lines. Changes are kept for 30 days by default. */
const measuredDays = 60
const changedDays = 29

/** Loads stores, definitions, products, assets, past measures and changes, but only into an empty database. */
export async function loadDemo(catalogue: Catalogue, enumerations: Enumerations, log: Logger): Promise<void> {
  if ((await countStores(catalogue, {})) > 0) {
    log.info('the database has stores already: no demo catalogue was added')
    return
  }
  const demo: Demo = JSON.parse(await readFile(new URL('demo.json', import.meta.url), 'utf8'))
  let before: string | undefined
  for (const { name, website, file, channels, isLinked } of demo.stores) {
    const input = {
      storeName: name,
      storeTaxonomy: enumerations.storeTaxonomies[0] ?? '',
      region: enumerations.regions.slice(4, 7),
      channels: enumerations.channels.slice(0, 3),
      defaultAutomation: enumerations.defaultAutomations.slice(0, 3),
      storeWebsite: website,
    }
    const link = { linkedStoreId: isLinked ? before : undefined, copyTaxonomy: isLinked }
    const { storeUuid } = await inTransaction(catalogue, async (transaction) => {
      const store = await createStore(transaction, enumerations, input, link)
      if (!isLinked) await defineAttributes(transaction, store.storeUuid, demo.definitions)
      return store
    })
    for (const channel of input.channels.slice(0, channels)) {
      const request = { ...importRequest(file, { store: storeUuid, channel }), storeUuid }
      const csv = createReadStream(new URL(file, import.meta.url))
      const { counts, stopped, cause } = await importFile(catalogue.db, csv, request, {
        enumerations,
        origin: catalogue.origin,
        signal: new AbortController().signal,
      })
      if (stopped !== undefined || counts.failed > 0) {
        throw new Error(`the demo's ${file} was not imported: ${stopped}`, { cause })
      }
    }
    await inventMeasures(catalogue, storeUuid, measuredDays)
    await inventChanges(catalogue, storeUuid, changedDays)
    before = storeUuid
  }
  log.info({ stores: demo.stores.length }, 'demo catalogue added')
}
