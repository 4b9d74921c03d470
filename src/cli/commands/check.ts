import type { Command } from 'commander'
import { type CheckStep, checkReadModel, type Difference } from '../../catalogue/check-read-model.ts'
import { catchUp } from '../../catalogue/projections/catch-up.ts'
import { readQueue } from '../../catalogue/projections/queue.ts'
import { closingStatements } from '../../database/advice.ts'
import { withOwnConnection } from '../../database/connection/own-connection.ts'
import { findKind } from '../../database/kind.ts'
import { addChangeDays } from '../../database/ledger.ts'
import { messageOf } from '../../errors.ts'
import { jsonFlag } from '../option-values.ts'
import { counted, printResult, showProgress } from '../output.ts'
import { type CommandContext, originOf, withDatabase } from '../with-database.ts'

export function addCheck(program: Command): void {
  program
    .command('check')
    .summary('compare derived data with its sources')
    .description(
      'recompute the asset groups, the totals of products, the names of their attributes, their indexed values and readiness, and report any difference; report schemas in which others could place code that the gateway runs',
    )
    .option('--wait', 'first apply queued changes; products that are still queued are not compared', false)
    .option(...jsonFlag)
    .action(async ({ wait, json }: { wait: boolean; json: boolean }) => {
      const { checked, ...found } = await withDatabase(async (context) => {
        if (wait) await applyQueued(context)
        return checkAll(context)
      })
      const { queued, differences, closing } = found
      process.stderr.write(`checked ${counted(checked, 'store')}\n`)
      if (queued > 0) process.stderr.write(`${queued} queued changes of products are not compared\n`)
      const lines = differences.length === 0 ? ['no difference found'] : differences.map(sentence)
      lines.push(...closing.map((statement) => `others can run code as the gateway: run "${statement}"`))
      printResult(json, found, lines.join('\n'))
      if (differences.length + closing.length > 0) process.exitCode = 1
    })
}

async function applyQueued({ db, catalogue, config, log }: CommandContext): Promise<void> {
  await addChangeDays(db)
  const recording = { ...catalogue, origin: originOf(config, 'readiness'), patterns: { work: 0 } }
  await catchUp(recording, (projection, storeUuid, error) =>
    log.warn({ projection, storeUuid, reason: messageOf(error) }, 'a projection could not be kept'),
  )
}

const words: Record<NonNullable<CheckStep['what']>, string> = {
  groups: 'asset groups',
  FILTERS: 'filterable attributes',
  SEARCH: 'searchable attributes',
  READINESS: 'readiness',
}

function checkAll({ db }: CommandContext) {
  return withOwnConnection(db, async (own) => {
    let checked = 0
    const onStep = ({ done, all, what }: CheckStep) => {
      checked = done
      const next = what ? `: ${words[what]} of the next` : ''
      showProgress(`${done} of ${all} stores${next}`)
    }
    const { products: queued } = await readQueue(own.db)
    const differences = await checkReadModel(own.db, 100, onStep)
    showProgress('')
    const closing = await closingStatements(own.db)
    return { database: await findKind(own.db), checked, queued, differences, closing }
  })
}

function sentence({ what, storeUuid, channel, assetFormat, parentCode, kept, actual }: Difference): string {
  const where = [storeUuid, channel, assetFormat, parentCode].filter((part) => part !== null).join(' / ')
  return `${what} ${where}: stored ${kept ?? 'nothing'}, expected ${actual ?? 'nothing'}`
}
