import type { Command } from 'commander'
import type { WriteCatalogue } from '../../../catalogue/catalogue.ts'
import { findStoreUuid } from '../../../catalogue/stores/stores.ts'
import { inTransaction } from '../../../catalogue/transaction.ts'
import { UsageError } from '../../../import/usage-error.ts'
import { createWebhook, type NewWebhook, rotateSecret } from '../../../webhooks/change-webhooks.ts'
import { listDeliveries } from '../../../webhooks/deliveries.ts'
import { deleteWebhook, findWebhook, listWebhooks, type Webhook } from '../../../webhooks/webhook.ts'
import { replayWebhook, retryWebhook, skipWebhookEvent, testWebhook } from '../../../webhooks/webhook-actions.ts'
import { collect, jsonFlag, storeOption, wholeNumber } from '../../option-values.ts'
import { listOf, printResult, snakeCased } from '../../output.ts'
import { requireRecording, withDatabase } from '../../with-database.ts'

interface CreateOptions {
  store: string
  url: string
  type: string[]
  json: boolean
}

export function addWebhook(program: Command): void {
  const webhook = program.command('webhook').description('post the changes of a store to a URL')
  addList(webhook)
  addCreate(webhook)
  addDeliveries(webhook)
  withId(webhook, 'rotate', 'make and print a new secret; for 24 hours the former one signs, too').action(
    async (id: string, { json }: { json: boolean }) =>
      printNew(json, await change((within) => rotateSecret(within, id))),
  )
  withId(webhook, 'replay', 'deliver changes again, from a cursor or time on')
    .requiredOption('--from <position>', 'a cursor of changes, or their time as RFC 3339')
    .action(async (id: string, { from, json }: { from: string; json: boolean }) =>
      print(json, await change((within) => replayWebhook(within, id, from))),
    )
  addAct(webhook, 'test', 'send a ping; `catalog webhook deliveries` shows its result', testWebhook, 'gets a ping')
  addAct(webhook, 'retry', 'make the next attempt now', retryWebhook)
  addAct(webhook, 'skip', 'skip the delivery whose last attempt failed', skipWebhookEvent)
  addAct(webhook, 'delete', 'delete a webhook', deleteWebhook, 'deleted')
}

function addList(webhook: Command): void {
  storeOption(webhook.command('list'))
    .description("list a store's webhooks")
    .option(...jsonFlag)
    .action(async ({ store, json }: { store: string; json: boolean }) => {
      const all = await withDatabase(async ({ db, catalogue }) =>
        listWebhooks(catalogue, await findStoreUuid(db, store)),
      )
      const rows = all.map(({ webhookId, state, failingSince, url }) => [
        ...[webhookId, failingSince ? `${state} since ${failingSince.toISOString()}` : state, url],
      ])
      printResult(json, { webhooks: all.map(snakeCased) }, listOf(['ID', 'STATE', 'URL'], rows))
    })
}

function addCreate(webhook: Command): void {
  storeOption(webhook.command('create'))
    .description('create a webhook and print its secret, which is shown only once')
    .requiredOption('--url <url>', 'the URL of the receiver')
    .option('--type <type>', 'only events of this type (default: all); repeatable', collect, [])
    .option(...jsonFlag)
    .action(async ({ store, url, type, json }: CreateOptions) => {
      const made = await withDatabase(async ({ db, catalogue, config }) => {
        requireRecording(config)
        const uuid = await findStoreUuid(db, store)
        const input = { url, filter: type.length > 0 ? { types: type } : null }
        return inTransaction(catalogue, (within) => createWebhook(within, uuid, input, config.outgoingAllow))
      })
      printNew(json, made)
    })
}

function addDeliveries(webhook: Command): void {
  withId(webhook, 'deliveries', 'list the latest attempts')
    .option('--limit <n>', 'maximum number of attempts', wholeNumber(1, 1_000), 20)
    .action(async (id: string, { limit, json }: { limit: number; json: boolean }) => {
      const found = await withDatabase(async ({ catalogue }) => {
        const one = await findWebhook(catalogue, id)
        return one && listDeliveries(catalogue, one, limit)
      })
      if (!found) throw new UsageError(`there is no webhook ${JSON.stringify(id)}`)
      const rows = found.map(({ at, type, attempt, status, durationMs, reason }) => [
        ...[at.toISOString(), type, attempt, status, `${durationMs} ms`, reason],
      ])
      const head = ['AT', 'TYPE', 'ATTEMPT', 'STATUS', 'DURATION', 'REASON']
      printResult(json, { deliveries: found.map(snakeCased) }, listOf(head, rows))
    })
}

function addAct(
  webhook: Command,
  name: string,
  description: string,
  act: (catalogue: WriteCatalogue, id: string) => Promise<Webhook>,
  state?: string,
): void {
  withId(webhook, name, description).action(async (id: string, { json }: { json: boolean }) =>
    print(json, await change((within) => act(within, id)), state),
  )
}

function withId(webhook: Command, name: string, description: string): Command {
  return webhook
    .command(name)
    .description(description)
    .argument('<id>', 'the id of the webhook, as `catalog webhook list` shows it')
    .option(...jsonFlag)
}

function change<Result>(work: (within: WriteCatalogue) => Promise<Result>): Promise<Result> {
  return withDatabase(({ catalogue, config }) => {
    requireRecording(config)
    return inTransaction(catalogue, work)
  })
}

function print(json: boolean, webhook: Webhook, state: string = webhook.state): void {
  printResult(json, snakeCased(webhook), `${webhook.webhookId} ${state}`)
}

function printNew(json: boolean, { secret, webhook }: NewWebhook): void {
  if (!json) process.stderr.write(`${webhook.webhookId}: the secret is shown only once\n`)
  printResult(json, { secret, ...snakeCased(webhook) }, secret)
}
