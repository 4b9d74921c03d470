import type { Command } from 'commander'
import { checkReadModel, type Difference } from '../catalogue/asset-groups/check-read-model.ts'
import { withOwnConnection } from '../database/own-connection.ts'
import { withDatabase } from './with-database.ts'

export function addCheck(program: Command): void {
  program
    .command('check')
    .description('recompute the read model of the asset groups and report any difference')
    .option('--json', 'print one JSON object on stdout', false)
    .action(async ({ json }: { json: boolean }) => {
      const differences = await withDatabase(({ db }) => withOwnConnection(db, (own) => checkReadModel(own.db)))
      const lines = differences.length === 0 ? ['the read model is correct'] : differences.map(sentence)
      process.stdout.write(json ? `${JSON.stringify({ differences })}\n` : `${lines.join('\n')}\n`)
      if (differences.length > 0) process.exitCode = 1
    })
}

function sentence({ what, storeUuid, channel, assetFormat, parentCode, kept, actual }: Difference): string {
  const where = [storeUuid, channel, assetFormat, parentCode].filter((part) => part !== null).join(' / ')
  return `${what} ${where}: stored ${kept ?? 'nothing'}, expected ${actual ?? 'nothing'}`
}
