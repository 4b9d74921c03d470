import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type Change, codesOf } from '../../../catalogue/changes/change.ts'
import { listChanges, listHistory } from '../../../catalogue/changes/list-changes.ts'
import { findReverts, type RequestReceipt, readReceipt } from '../../../catalogue/changes/receipt.ts'
import { findStoreUuid } from '../../../catalogue/stores/stores.ts'
import { CatalogueError } from '../../../errors.ts'
import { millisecondsOf } from '../../../text.ts'
import { jsonFlag, storeOption } from '../../option-values.ts'
import { printResult, tableOf } from '../../output.ts'
import { untilSignal } from '../../until-signal.ts'
import { type CommandContext, requireRecording, withDatabase } from '../../with-database.ts'

interface ChangesOptions {
  store: string
  since: number
  product?: string
  follow: boolean
  json: boolean
}

const pollMs = 1_000

export function addChanges(program: Command): void {
  storeOption(program.command('changes'))
    .description('list the changes of a store: time, author, operation and changed items')
    .addOption(
      new Option('--since <duration>', 'how far back, such as 1h or 7d')
        .argParser(durationOf)
        .default(durationOf('24h'), '24h'),
    )
    .option('--product <code>', 'only changes of this product and of the links of its assets')
    .option('--follow', 'keep printing new changes until Ctrl-C', false)
    .option('--json', 'print one JSON object per line', false)
    .action(async (options: ChangesOptions) => {
      await withDatabase(async ({ db, catalogue, config }) => {
        requireRecording(config)
        const store = await findStoreUuid(db, options.store)
        const filter = { productCode: options.product, from: new Date(Date.now() - options.since) }
        const stop = new AbortController()
        if (options.follow) void untilSignal().then(() => stop.abort())
        for (let after: string | undefined; !stop.signal.aborted; ) {
          const { changes, next, hasMore } = await listChanges(catalogue, store, filter, { after, limit: 100 })
          for (const change of changes)
            process.stdout.write(`${options.json ? JSON.stringify(jsonOf(change)) : lineOf(change)}\n`)
          if (!hasMore && !options.follow) return
          after = next ?? after
          if (!hasMore) await sleep(pollMs, undefined, { signal: stop.signal }).catch(() => {})
        }
      })
    })
}

const maxCodes = 5

/** `2026-11-21T10:00:00.000Z  importer  updateProducts  product updated 2: A, B  request 1` */
function lineOf(change: Change): string {
  const { at, actor, operation, kind, action, requestId, reverts } = change
  const codes = codesOf(change)
  const shown = codes.slice(0, maxCodes).map((code) => (/[\s,]/.test(code) ? JSON.stringify(code) : code))
  const touched = `${kind} ${action} ${change.count}: ${[...shown, ...(codes.length > maxCodes ? ['…'] : [])].join(', ')}`
  const reverted = reverts === null ? [] : [`reverts ${reverts}`]
  return [at.toISOString(), actor, operation, touched, `request ${requestId}`, ...reverted].join('  ')
}

function jsonOf(change: Change) {
  const { cursor, at, requestId: request_id, actor, via, operation, kind, action, count, failed, reverts } = change
  const what = { kind, action, count, failed, codes: codesOf(change) }
  return { cursor, at, request_id, actor, via, operation, ...what, ...(reverts !== null && { reverts }) }
}

function durationOf(text: string): number {
  const milliseconds = millisecondsOf(text)
  if (milliseconds !== undefined) return milliseconds
  throw new InvalidArgumentError('It must be a duration such as 1h or 7d.')
}

/** How many changes of a request are shown. */
const maxChanges = 100

export function addRequest(program: Command): void {
  const request = program.command('request').description('show what a request changed')
  storeOption(request.command('show'))
    .description(`show the receipt of a request: what it changed in a store, with its first ${maxChanges} changes`)
    .argument('<id>', 'the id of the request')
    .option(...jsonFlag)
    .action(async (id: string, { store, json }: { store: string; json: boolean }) => {
      const found = await withDatabase((context) => find(context, store, id))
      const { changes, more, ...receipt } = found
      const answer = { ...receipt, changes: changes.map(jsonOf), more }
      printResult(json, answer, textOf(found))
    })
}

async function find({ db, catalogue, config }: CommandContext, store: string, id: string) {
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
  const cells = [...Object.entries(fields), ...counts.map(cellsOf)]
  return [tableOf(cells), ...changes.map(lineOf), ...(more ? ['and more'] : [])].join('\n')
}

function cellsOf({ kind, created, updated, deleted }: RequestReceipt['counts'][number]): [string, string] {
  return [kind, `${created} created, ${updated} updated, ${deleted} deleted`]
}
