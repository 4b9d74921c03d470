import { type Command, InvalidArgumentError, Option } from 'commander'
import { type CatalogueClient, createCatalogueClient } from '../../../../rest/client/catalogue-client.ts'
import type { CatalogueEvent } from '../../../../rest/client/follow.ts'
import { type CallOptions, CatalogueApiError } from '../../../../rest/client/send.ts'
import { UsageError } from '../../../import/usage-error.ts'
import { isUuid, shown, withoutNulls } from '../../../text.ts'
import { messageOfEvent, signedHeaders } from '../../../webhooks/deliver/message.ts'
import { newWebhookSecret } from '../../../webhooks/secret.ts'
import { storeOption } from '../../option-values.ts'
import { untilSignal } from '../../until-signal.ts'

interface ListenOptions {
  url: string
  token: string
  store: string
  forwardTo?: string
  types?: string
  operations?: string
  codePrefix?: string
  after?: string
}

/** As long as the gateway waits for a receiver. */
const receiverMs = 15_000
const pageSize = 100
/** What the caller has to correct. */
const refusals = [400, 401, 403, 404]

export function addListen(program: Command): void {
  storeOption(program.command('listen'))
    .description('print the changes of a store as they appear, as JSON lines, until Ctrl-C; needs no database')
    .option('--url <url>', 'the URL of the gateway', urlOf, 'http://127.0.0.1:4000')
    .addOption(
      new Option('--token <token>', 'a token with the scope read').env('CATALOGUE_TOKEN').makeOptionMandatory(),
    )
    .option(
      '--forward-to <url>',
      'post each change once to this URL, signed like a webhook, instead of printing it',
      urlOf,
    )
    .option('--types <types>', 'only changes of these types, such as product.updated,link.created')
    .option('--operations <names>', 'only changes by these mutations, such as updateProducts')
    .option('--code-prefix <prefix>', 'only items whose code begins with this prefix')
    .option('--after <cursor>', 'start after this cursor (default: now)')
    .action(listen)
}

async function listen(options: ListenOptions): Promise<void> {
  const { url, token, store, types, operations, codePrefix, after } = options
  const stop = new AbortController()
  void untilSignal().then(() => stop.abort())
  process.stdout.once('error', () => stop.abort())
  const filter = withoutNulls({ types, operations, code_prefix: codePrefix, after })
  const retries = Number.POSITIVE_INFINITY
  const client = createCatalogueClient({ baseUrl: `${url}/v1`, token, retries, fetch: reporting(url, stop.signal) })
  const handle = handlerOf(options, stop.signal)
  try {
    const call = { signal: stop.signal }
    const storeUuid = isUuid(store) ? store : await findStore(client, store, call)
    for await (const event of client.events({ store_uuid: [storeUuid], ...filter }, call)) {
      process.stdout.write(`${await handle(event)}\n`)
    }
  } catch (error) {
    if (stop.signal.aborted) return
    if (error instanceof UsageError) throw error
    const isRefusal = error instanceof CatalogueApiError && refusals.includes(error.status)
    throw isRefusal ? new UsageError(error.message) : new Error(reasonOf(error), { cause: error })
  }
}

/** The UUID of the only store with a name. The gateway finds names that contain it. */
async function findStore(client: CatalogueClient, name: string, call: CallOptions): Promise<string> {
  const found: string[] = []
  for (let offset = 0, total = 1; offset < total; offset += pageSize) {
    const page = await client.listStores({ search: name, offset, limit: pageSize }, call)
    found.push(...page.stores.filter(({ store_name }) => store_name === name).map(({ store_uuid }) => store_uuid))
    total = page.total_stores
  }
  const [only, ...others] = found
  if (only !== undefined && others.length === 0) return only
  const fault = only === undefined ? 'no store has' : 'several stores have'
  throw new UsageError(`--store: ${fault} the name ${shown(name)}; give the UUID of one`)
}

/** Makes the function that handles an event, and returns the line that is printed. */
function handlerOf({ forwardTo }: ListenOptions, stopped: AbortSignal): (event: CatalogueEvent) => Promise<string> {
  if (forwardTo === undefined) return async (event) => JSON.stringify(event)
  const secret = newWebhookSecret()
  process.stdout.write(`${secret}\n`)
  return async (event) => {
    const message = messageOfEvent(event)
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(receiverMs)])
    const request = { method: 'POST', headers: signedHeaders(message, [secret]), body: message.body, signal }
    const outcome = await fetch(forwardTo, { ...request, redirect: 'manual' }).then(async (answer) => {
      await answer.body?.cancel()
      return String(answer.status)
    }, reasonOf)
    return `${event.at}  ${event.type}  ${event.cursor}  ${outcome}`
  }
}

/** `fetch` that reports on stderr when the gateway is reached, and when it is not: the client tries again by itself. */
function reporting(url: string, stopped: AbortSignal): typeof fetch {
  let last = ''
  const report = (state: string) => {
    if (state !== last && !stopped.aborted) process.stderr.write(`${url}: ${state}\n`)
    last = state
  }
  return async (...request) => {
    try {
      const answer = await fetch(...request)
      const type = answer.headers.get('content-type') ?? 'no type'
      const isStream = answer.ok && type.startsWith('text/event-stream')
      if (isStream) report('listening')
      else if (!type.startsWith('application/json'))
        report(`answered ${answer.status} with ${type}, not as a gateway does; trying again`)
      return answer
    } catch (error) {
      report(`${reasonOf(error)}; trying again`)
      throw error
    }
  }
}

/** `fetch` wraps what happened to the connection. */
function reasonOf(error: unknown): string {
  const { cause = error } = error as Error
  const [first] = cause instanceof AggregateError ? cause.errors : [cause]
  return first instanceof Error ? first.message : String(first)
}

function urlOf(text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text.replace(/\/+$/, '')
  throw new InvalidArgumentError('It must be a URL that begins with http:// or https://.')
}
