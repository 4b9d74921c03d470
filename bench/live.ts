import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { alternate, rateRows } from './alternate.ts'
import { put } from './bulk.ts'
import { smallStores, stores } from './data.ts'
import { type Server, token } from './servers.ts'
import { table } from './table.ts'

const clients = fileURLToPath(new URL('live-clients.ts', import.meta.url))
/** As many as a store may have. */
const ofStore = 20
/** The store of a webhook, by its index. */
export const storeOf = (i: number) => [stores.big, ...smallStores][Math.floor(i / ofStore)] ?? ''

interface Clients {
  streams: number
  webhooks: number
}

const variants: Record<string, Clients> = {
  none: { streams: 0, webhooks: 0 },
  '100 streams': { streams: 100, webhooks: 0 },
  '100 webhooks, 20 of the store': { streams: 0, webhooks: 100 },
  both: { streams: 100, webhooks: 100 },
}

/** PUTs of 1,000 products while streams and webhooks, whose clients are in another process, receive them. */
export async function live(gateway: Server, seconds: number, rounds: number): Promise<string> {
  const tokens = await Promise.all(Array.from({ length: 10 }, () => createToken(gateway)))
  const write = put(gateway, stores.big, 1_000)
  const perSecond = await alternate(variants, rounds, async ({ streams, webhooks }, round) => {
    const { port, stop } = await startClients({ url: gateway.url, tokens: tokens.slice(0, streams / 10) })
    const ids = await Promise.all(
      Array.from({ length: webhooks }, (_, i) => createWebhook(gateway, i, `http://127.0.0.1:${port}`)),
    )
    await write(round)
    const began = performance.now()
    let count = 0
    for (; performance.now() - began < seconds * 1_000; count++) await write(round + Math.random())
    const rate = (count * 1_000) / (performance.now() - began)
    await Promise.all(ids.map((id) => call(gateway, 'DELETE', `/v1/webhooks/${id}`)))
    await stop()
    return rate
  })
  return table(['PUT of 1,000 products with', 'writes/s', 'ratio'], rateRows(perSecond))
}

export async function startClients(given: { url: string; tokens: string[] }) {
  const child = spawn(process.execPath, [clients], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify(given))
  const [port] = await once(createInterface({ input: child.stdout }), 'line')
  const stop = async () => {
    child.kill()
    await once(child, 'exit')
  }
  return { port: Number(port), stop }
}

async function createToken(gateway: Server): Promise<string> {
  const query = 'mutation ($input: CreateTokenInput!) { createToken(input: $input) { secret } }'
  const input = { name: 'live', scopes: ['READ'], stores: [stores.big] }
  const { createToken } = await call(gateway, 'POST', '/graphql', { query, variables: { input } })
  return createToken.secret
}

export async function createWebhook(gateway: Server, i: number, url: string): Promise<string> {
  return (await call(gateway, 'POST', `/v1/webhooks?store_uuid=${storeOf(i)}`, { url })).webhook.webhook_id
}

/** The member `data` of the answer. */
export async function call({ url }: Server, method: 'POST' | 'DELETE', path: string, body?: object) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const { statusCode, body: answer } = await request(url + path, { method, headers, body: JSON.stringify(body) })
  const text = await answer.text()
  if (statusCode !== 200) throw new Error(`${method} ${path}: ${text.slice(0, 500)}`)
  return JSON.parse(text).data
}
