import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, InvalidArgumentError } from 'commander'
import { type Change, codesOf } from '../../catalogue/changes/change.ts'
import { listChanges } from '../../catalogue/changes/list-changes.ts'
import { requireStore } from '../../catalogue/stores/stores.ts'
import { millisecondsOf } from '../../text.ts'
import { findStoreUuid } from '../find-store.ts'
import { storeOption } from '../option-values.ts'
import { untilSignal } from '../until-signal.ts'
import { requireRecording, withDatabase } from '../with-database.ts'

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
    .option('--since <duration>', 'how far back, such as 1h or 7d', durationOf, durationOf('24h'))
    .option('--product <code>', 'only changes of this product and of the links of its assets')
    .option('--follow', 'keep printing new changes until Ctrl-C', false)
    .option('--json', 'print one JSON object a line', false)
    .action(async (options: ChangesOptions) => {
      await withDatabase(async ({ db, catalogue, config }) => {
        requireRecording(config)
        const store = await requireStore(catalogue, await findStoreUuid(db, options.store), 'store')
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
export function lineOf(change: Change): string {
  const { at, actor, operation, kind, action, requestId, reverts } = change
  const codes = codesOf(change)
  const shown = codes.slice(0, maxCodes).map((code) => (/[\s,]/.test(code) ? JSON.stringify(code) : code))
  const touched = `${kind} ${action} ${change.count}: ${[...shown, ...(codes.length > maxCodes ? ['…'] : [])].join(', ')}`
  const reverted = reverts === null ? [] : [`reverts ${reverts}`]
  return [at.toISOString(), actor, operation, touched, `request ${requestId}`, ...reverted].join('  ')
}

export function jsonOf(change: Change) {
  const { cursor, at, requestId: request_id, actor, via, operation, kind, action, count, failed, reverts } = change
  const what = { kind, action, count, failed, codes: codesOf(change) }
  return { cursor, at, request_id, actor, via, operation, ...what, ...(reverts !== null && { reverts }) }
}

function durationOf(text: string): number {
  const milliseconds = millisecondsOf(text)
  if (milliseconds !== undefined) return milliseconds
  throw new InvalidArgumentError('It must be a duration such as 1h or 7d.')
}
