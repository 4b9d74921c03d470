import type { Command } from 'commander'
import { checkReadModel, type Difference } from '../../catalogue/asset-groups/check-read-model.ts'
import { withOwnConnection } from '../../database/connection/own-connection.ts'
import { findKind } from '../../database/kind.ts'
import { printResult } from '../output.ts'
import { withDatabase } from '../with-database.ts'

export function addCheck(program: Command): void {
  program
    .command('check')
    .description(
      'recompute the asset groups, the totals of products and their indexed values, and report any difference',
    )
    .option('--json', 'print one JSON object on stdout', false)
    .action(async ({ json }: { json: boolean }) => {
      const { database, checked, differences } = await withDatabase(({ db }) =>
        withOwnConnection(db, async (own) => {
          let checked = 0
          const onStore = (done: number, all: number) => {
            checked = done
            if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${done} of ${all} stores`)
          }
          const differences = await checkReadModel(own.db, 100, onStore)
          if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
          return { database: await findKind(own.db), checked, differences }
        }),
      )
      process.stderr.write(`checked ${checked} ${checked === 1 ? 'store' : 'stores'}\n`)
      const lines = differences.length === 0 ? ['the read model is correct'] : differences.map(sentence)
      printResult(json, { database, differences }, lines.join('\n'))
      if (differences.length > 0) process.exitCode = 1
    })
}

function sentence({ what, storeUuid, channel, assetFormat, parentCode, kept, actual }: Difference): string {
  const where = [storeUuid, channel, assetFormat, parentCode].filter((part) => part !== null).join(' / ')
  return `${what} ${where}: stored ${kept ?? 'nothing'}, expected ${actual ?? 'nothing'}`
}
