import { existsSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import type { Command } from 'commander'
import { backUp } from '../../backup/backup.ts'
import type { RowCounts } from '../../backup/format.ts'
import { restore } from '../../backup/restore.ts'
import { writeWhole } from '../../export/whole-file.ts'
import { jsonFlag } from '../option-values.ts'
import { counted, printResult } from '../output.ts'
import { withDatabase } from '../with-database.ts'

export function addBackup(program: Command): void {
  program
    .command('backup')
    .description('write stores, products, assets and tokens to a file while the gateway runs; jobs are left out')
    .argument('<file>', 'an SQL script for `catalog restore`, compressed if the name ends in .gz')
    .option('--force', 'replace the file if it exists', false)
    .option(...jsonFlag)
    .action(async (file: string, { force, json }: { force: boolean; json: boolean }, command: Command) => {
      if (!force && existsSync(file)) command.error(`error: ${file} exists; --force replaces it`, { exitCode: 2 })
      const rows = await withDatabase(({ db }) =>
        writeWhole(file, (partial) => backUp(db, partial, file.endsWith('.gz'))),
      )
      printResult(json, { rows }, `backed up ${summaryOf(rows)}`)
    })
}

export function addRestore(program: Command): void {
  program
    .command('restore')
    .description('restore a backup into a migrated database without stores, replacing its tokens; all or nothing')
    .argument('<file>', 'a file written by `catalog backup`')
    .option(...jsonFlag)
    .action(async (file: string, { json }: { json: boolean }, command: Command) => {
      await access(file, constants.R_OK).catch((error: Error) =>
        command.error(`error: ${file} cannot be read: ${error.message}`, { exitCode: 2 }),
      )
      const rows = await withDatabase(({ db }) => restore(db, file))
      printResult(json, { rows }, `restored ${summaryOf(rows)}`)
    })
}

function summaryOf({ store, product, asset, token }: RowCounts): string {
  const catalogue = [counted(store, 'store'), counted(product, 'product'), counted(asset, 'asset')].join(', ')
  return `${catalogue} and ${counted(token, 'token')}`
}
