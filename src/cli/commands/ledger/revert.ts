import { type Command, Option } from 'commander'
import { sql } from 'kysely'
import { wholeCatalogue } from '../../../catalogue/catalogue.ts'
import {
  type RevertPolicy,
  type RevertResult,
  revertRequest,
} from '../../../catalogue/changes/revert/revert-request.ts'
import { sentenceOf } from '../../../catalogue/changes/revert/skipped-item.ts'
import { findStoreUuid } from '../../../catalogue/stores/stores.ts'
import { rolledBackIf } from '../../../catalogue/transaction.ts'
import { withOwnConnection } from '../../../database/connection/own-connection.ts'
import { jsonFlag, storeOption } from '../../option-values.ts'
import { counted, printResult, snakeCased } from '../../output.ts'
import { type CommandContext, recordWrites, requireRecording, withDatabase } from '../../with-database.ts'

interface RevertOptions {
  store: string
  request: string
  ifChangedSince: string
  dryRun: boolean
  json: boolean
}

export function addRevert(program: Command): void {
  storeOption(program.command('revert'))
    .description('restore the values from before a request, in one transaction')
    .requiredOption('--request <id>', 'the id of the request')
    .addOption(
      new Option('--if-changed-since <policy>', 'what to do with values changed by later requests')
        .choices(['skip', 'fail', 'overwrite'])
        .default('skip'),
    )
    .option('--dry-run', 'change nothing, only print the result', false)
    .option(...jsonFlag)
    .action(async (options: RevertOptions) => {
      const result = await withDatabase((context) => revert(context, options))
      const { requestId, reverted, skipped, more } = result
      const answer = snakeCased({ requestId, reverted: snakeCased(reverted), skipped, more })
      printResult(options.json, answer, summaryOf(result, options))
      if (skipped.length > 0) process.exitCode = 1
    })
}

/** However many items it has, on a connection without the time-outs of requests. */
async function revert(
  context: CommandContext,
  { store, request, ifChangedSince, dryRun }: RevertOptions,
): Promise<RevertResult> {
  const { db, config } = context
  const policy = ifChangedSince.toUpperCase() as RevertPolicy
  requireRecording(config)
  const storeUuid = await findStoreUuid(db, store)
  return recordWrites(context, { operation: 'revert', dryRun }, ({ origin }) =>
    withOwnConnection(db, (own) =>
      rolledBackIf({ ...wholeCatalogue(own.db), origin }, dryRun, async (within) => {
        // Large reverts are sorted in memory.
        await sql`set local work_mem = '64MB'`.execute(within.db)
        return revertRequest(within, storeUuid, request, policy, false)
      }),
    ),
  )
}

/** How many items are listed without --json. */
const maxShown = 20

function summaryOf({ requestId, reverted, skipped, more }: RevertResult, { dryRun }: RevertOptions): string {
  const { products, assets, links, definitions, requirements, storeFields } = reverted
  const kinds = { product: products, asset: assets, link: links, definition: definitions, 'store field': storeFields }
  const done = [
    ...Object.entries(kinds).flatMap(([kind, count]) => (count === 0 ? [] : [counted(count, kind)])),
    ...(requirements === 0 ? [] : [`requirements of ${counted(requirements, 'channel')}`]),
  ]
  const others = skipped.length + more - maxShown
  return [
    `${done.join(', ') || 'nothing'} reverted, ${skipped.length + more} skipped${dryRun ? ' (a dry run: nothing was changed)' : `; the revert has the id ${requestId}`}`,
    ...skipped.slice(0, maxShown).map((item) => `  ${sentenceOf(item)}`),
    ...(others > 0 ? [`  and ${others} more`] : []),
  ].join('\n')
}
