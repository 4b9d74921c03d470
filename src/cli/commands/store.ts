import type { Command } from 'commander'
import { defaultChannel } from '../../catalogue/enumerations.ts'
import { listStores } from '../../catalogue/stores/list-stores.ts'
import { createStore, findStores, findStoreUuid, type Store } from '../../catalogue/stores/stores.ts'
import { inTransaction } from '../../catalogue/transaction.ts'
import { storeNotFound } from '../../errors.ts'
import { collect, jsonFlag } from '../option-values.ts'
import { listOf, printResult, snakeCased, tableOf } from '../output.ts'
import { type CommandContext, recordWrites, withDatabase } from '../with-database.ts'

interface CreateOptions {
  name: string
  taxonomy?: string
  region: string[]
  channel: string[]
  automation: string[]
  website?: string
  linkedStore?: string
  copyTaxonomy: boolean
  json: boolean
}

export function addStore(program: Command): void {
  const store = program.command('store').description('list, create and show stores')
  store
    .command('list')
    .description('list the stores in the order of their creation')
    .option('--search <text>', 'only stores whose name contains this text')
    .option(...jsonFlag)
    .action(async ({ search, json }: { search?: string; json: boolean }) => {
      const page = { limit: Number.MAX_SAFE_INTEGER, backwards: false }
      const stores = await withDatabase(({ catalogue }) => listStores(catalogue, { search }, page))
      const rows = stores.map(({ storeUuid, storeName, createdAt }) => [storeUuid, dayOf(createdAt), storeName])
      printResult(json, { stores: stores.map(snakeCased) }, listOf(['UUID', 'CREATED', 'NAME'], rows))
    })
  store
    .command('create')
    .description('create a store and print its UUID')
    .requiredOption('--name <name>', 'the name of the store')
    .option('--taxonomy <taxonomy>', 'its taxonomy (default: the first one)')
    .option('--region <region>', 'a region; repeatable', collect, [])
    .option('--channel <channel>', 'a channel (default: SMP); repeatable', collect, [])
    .option('--automation <automation>', 'an automation; repeatable', collect, [])
    .option('--website <url>', 'its web site')
    .option('--linked-store <store>', 'a store whose group the new store joins: its UUID or name')
    .option('--copy-taxonomy', 'copy the attribute definitions of the linked store', false)
    .option(...jsonFlag)
    .action(async (options: CreateOptions) => {
      const created = await withDatabase((context) => create(context, options))
      printResult(options.json, snakeCased(created), created.storeUuid)
    })
  store
    .command('show')
    .description('show the fields of a store')
    .argument('<store>', 'its UUID, or its name if no other store has it')
    .option(...jsonFlag)
    .action(async (given: string, { json }: { json: boolean }) => {
      const found = await withDatabase(async ({ db, catalogue }) => {
        const uuid = await findStoreUuid(db, given)
        return (await findStores(catalogue, [uuid])).get(uuid)
      })
      if (!found) throw storeNotFound('store', given)
      const fields = snakeCased(found)
      printResult(json, fields, tableOf(Object.entries(fields)))
    })
}

async function create(context: CommandContext, options: CreateOptions): Promise<Store> {
  const enumerations = await context.enumerations()
  const { name, taxonomy = enumerations.storeTaxonomies[0] ?? '', region, channel, automation, website } = options
  const linkedStoreId =
    options.linkedStore === undefined ? undefined : await findStoreUuid(context.db, options.linkedStore)
  const input = {
    storeName: name,
    storeTaxonomy: taxonomy,
    region,
    channels: channel.length > 0 ? channel : [defaultChannel],
    defaultAutomation: automation,
    storeWebsite: website,
  }
  const link = { linkedStoreId, copyTaxonomy: options.copyTaxonomy }
  return recordWrites(context, { operation: 'createStore' }, (catalogue) =>
    inTransaction(catalogue, (within) => createStore(within, enumerations, input, link)),
  )
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10)
}
