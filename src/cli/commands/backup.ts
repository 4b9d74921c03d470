import { existsSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import type { Command } from 'commander'
import { backUp } from '../../backup/backup.ts'
import type { RowCounts } from '../../backup/format.ts'
import { restore } from '../../backup/restore.ts'
import { findStoreUuid } from '../../catalogue/stores/stores.ts'
import { writeWhole } from '../../export/whole-file.ts'
import { UsageError } from '../../import/usage-error.ts'
import { jsonFlag } from '../option-values.ts'
import { counted, printResult, showProgress } from '../output.ts'
import { withDatabase } from '../with-database.ts'

interface BackupOptions {
  force: boolean
  json: boolean
  store?: string
}

export function addBackup(program: Command): void {
  program
    .command('backup')
    .description('write stores, products, assets and tokens to a file while the gateway runs; jobs are left out')
    .argument('<file>', 'an SQL script for `catalog restore`, compressed if the name ends in .gz')
    .option('--store <uuid>', 'only this store, with its changes and without tokens')
    .option('--force', 'replace the file if it exists', false)
    .option(...jsonFlag)
    .action(async (file: string, { force, json, store }: BackupOptions) => {
      if (!force && existsSync(file)) throw new UsageError(`${file} exists; --force replaces it`)
      const rows = await withDatabase(async ({ db }) => {
        const storeUuid = store === undefined ? undefined : await findStoreUuid(db, store)
        const isCompressed = file.endsWith('.gz')
        return writeWhole(file, (partial) => backUp(db, partial, { isCompressed, storeUuid }))
      })
      printResult(json, { rows }, `backed up ${summaryOf(rows)}`)
    })
}

export function addRestore(program: Command): void {
  program
    .command('restore')
    .summary('read a backup into a database')
    .description(
      'restore a backup store by store into a migrated database without stores, replacing its tokens, or one store into a database with others; continues an interrupted restore of the file',
    )
    .argument('<file>', 'a file written by `catalog backup`')
    .option('--store <uuid>', 'only this store, which must not be in the database yet')
    .option(...jsonFlag)
    .action(async (file: string, { json, store }: BackupOptions) => {
      await access(file, constants.R_OK).catch(({ message }: Error) => {
        throw new UsageError(`${file} cannot be read: ${message}`)
      })
      const onStore = (done: number, all: number) => showProgress(`${done} of ${all} stores`)
      const storeUuid = store?.toLowerCase()
      const rows = await withDatabase(({ db }) => restore(db, file, { storeUuid, onStore }))
      showProgress('')
      printResult(json, { rows }, `restored ${summaryOf(rows)}`)
    })
}

function summaryOf({ store = 0, product = 0, asset = 0, token }: RowCounts): string {
  const catalogue = [counted(store, 'store'), counted(product, 'product'), counted(asset, 'asset')].join(', ')
  return token === undefined ? catalogue : `${catalogue} and ${counted(token, 'token')}`
}
