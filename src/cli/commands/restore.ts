import { access, constants } from 'node:fs/promises'
import type { Command } from 'commander'
import { restore } from '../../backup/restore.ts'
import { printResult } from '../output.ts'
import { withDatabase } from '../with-database.ts'
import { summaryOf } from './backup.ts'

export function addRestore(program: Command): void {
  program
    .command('restore')
    .description('restore a backup into a migrated database without stores, replacing its tokens; all or nothing')
    .argument('<file>', 'a file written by `catalog backup`')
    .option('--json', 'print one JSON object on stdout', false)
    .action(async (file: string, { json }: { json: boolean }, command: Command) => {
      await access(file, constants.R_OK).catch((error: Error) =>
        command.error(`error: ${file} cannot be read: ${error.message}`, { exitCode: 2 }),
      )
      const rows = await withDatabase(({ db }) => restore(db, file))
      printResult(json, { rows }, `restored ${summaryOf(rows)}`)
    })
}
