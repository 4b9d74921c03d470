import type { Command } from 'commander'
import { listHistory } from '../../catalogue/changes/list-changes.ts'
import { findReverts, type RequestReceipt, readReceipt } from '../../catalogue/changes/receipt.ts'
import { CatalogueError } from '../../errors.ts'
import { findStoreUuid } from '../find-store.ts'
import { storeOption } from '../option-values.ts'
import { printResult, tableOf } from '../output.ts'
import { requireRecording, type Work, withDatabase } from '../with-database.ts'
import { jsonOf, lineOf } from './changes.ts'

interface ShowOptions {
  store: string
  json: boolean
}

/** How many changes of a request are shown. */
const maxChanges = 100

export function addRequest(program: Command): void {
  const request = program.command('request').description('receipts of requests')
  storeOption(request.command('show'))
    .description(`show the receipt of a request: what it changed in a store, with its first ${maxChanges} changes`)
    .argument('<id>', 'the id of the request')
    .option('--json', 'print one JSON object on stdout', false)
    .action(async (id: string, { store, json }: ShowOptions) => {
      const found = await withDatabase((work) => find(work, store, id))
      const { changes, more, ...receipt } = found
      const answer = { ...receipt, changes: changes.map(jsonOf), more }
      printResult(json, answer, textOf(found))
    })
}

async function find({ db, catalogue, config }: Work, store: string, id: string) {
  requireRecording(config)
  const storeUuid = await findStoreUuid(db, store)
  const receipt = await readReceipt(catalogue, storeUuid, id)
  if (!receipt) {
    const details = `the store ${JSON.stringify(store)} has no changes of a request ${JSON.stringify(id)}`
    throw new CatalogueError('request_not_found', details)
  }
  const page = { limit: maxChanges }
  const { changes, hasMore } = await listHistory(catalogue, storeUuid, { requestId: id }, page, 'oldest first')
  const revertedBy = (await findReverts(catalogue, storeUuid, [id])).get(id)
  const { at, actor, via, operation, failed, counts } = receipt
  const reverted = revertedBy && { reverted_by: revertedBy.requestId }
  return {
    request_id: id,
    at: at.toISOString(),
    actor,
    via,
    operation,
    failed,
    counts,
    ...reverted,
    changes,
    more: hasMore,
  }
}

function textOf({ changes, more, counts, ...fields }: Awaited<ReturnType<typeof find>>): string {
  const cells = [...Object.entries(fields), ...counts.map(cellsOf)].map(([name, value]) => [name, String(value)])
  return [tableOf(cells), ...changes.map(lineOf), ...(more ? ['and more'] : [])].join('\n')
}

function cellsOf({ kind, created, updated, deleted }: RequestReceipt['counts'][number]): [string, string] {
  return [kind, `${created} created, ${updated} updated, ${deleted} deleted`]
}
