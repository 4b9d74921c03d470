import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { alternate } from './alternate.ts'
import { call, createWebhook, startClients, storeOf } from './live.ts'
import type { Server } from './servers.ts'
import { figure, quantile, table } from './table.ts'

const webhooks = 1_000
const measuredMs = 20_000
/** Each is delivered to the twenty webhooks of its store. */
const writesPerSecond = 5

/** The path of the first webhook's receiver. The lags of its own deliveries are not counted. */
const variants = { 'it answers': '/', 'it does not answer': '/dead' }

/** How old changes are when they arrive at 999 webhooks, while a thousandth one answers, or does not. */
export async function deadWebhook(gateway: Server, rounds: number): Promise<string> {
  const lags = await measureLags(gateway, rounds)
  const rows = Object.entries(lags).flatMap(([name, measured]) =>
    (['its store', 'the other stores'] as const).map((of) => {
      const all = measured.flatMap((one) => one[of])
      return [`${name}: ${of}`, String(all.length), figure(quantile(all, 0.5)), figure(quantile(all, 0.99))]
    }),
  )
  return table(['lag of 999 webhooks, beside another one', 'deliveries', 'p50 ms', 'p99 ms'], rows)
}

/** The lags in milliseconds of each round, by variant. */
async function measureLags(gateway: Server, rounds: number) {
  const { port, stop } = await startClients({ url: gateway.url, tokens: [] })
  const receiver = `http://127.0.0.1:${port}`
  const ids: string[] = []
  const readLags = async () => (await (await request(`${receiver}/lags`)).body.json()) as Record<string, number[]>
  const remove = (id: string) => call(gateway, 'DELETE', `/v1/webhooks/${id}`)
  try {
    for (let i = 1; i < webhooks; i++) ids.push(await createWebhook(gateway, i, `${receiver}/timed`))
    return await alternate(variants, rounds, async (path) => {
      const id = await createWebhook(gateway, 0, receiver + path)
      try {
        await readLags()
        await write(gateway)
        const { [storeOf(0)]: ofStore = [], ...others } = await readLags()
        return { 'its store': ofStore, 'the other stores': Object.values(others).flat() }
      } finally {
        await remove(id)
      }
    })
  } finally {
    await stop()
    for (const id of ids) await remove(id)
  }
}

let written = 0

/** Creates products in the stores in rotation. */
async function write(gateway: Server): Promise<void> {
  const end = performance.now() + measuredMs
  // At random times within the interval of polls.
  for (; performance.now() < end; written++) {
    const product = { product_code: `written-${Date.now()}-${written}` }
    await call(gateway, 'POST', `/v1/products?store_uuid=${storeOf((written * 20) % webhooks)}`, [product])
    await sleep((Math.random() * 2 * 1_000) / writesPerSecond)
  }
  await sleep(2_000)
}
