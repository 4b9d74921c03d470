import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { useDatabase } from '../support/database/database.ts'
import { addProducts, newStore } from '../support/factories.ts'
import { Random } from '../support/random.ts'
import { token } from '../support/servers/gateway.ts'
import type { Program } from '../support/servers/program.ts'
import { serve } from '../support/servers/serve.ts'
import { figure, isLong, seed } from './support/scale.ts'

const minutes = Number(process.env.TORTURE_MINUTES ?? (isLong ? 60 : 0.3))
/** Every five minutes; the first one follows a fifth of the time in which caches fill. */
const samples = Math.max(3, Math.round(minutes / 5))
/** At a time; a token may have ten streams, and the end of one is seen late. */
const clients = 4
/** Of a stream. The short form is of short ones, so that hundreds come and go. */
const longestMs = isLong ? 2_000 : 50
const writesPauseMs = 200

const database = useDatabase()

interface Memory {
  rss: number
  heapUsed: number
}

/** The memory of the gateway in MiB, after a collection of all garbage. */
async function memoryOf({ child, stderr }: Program): Promise<Memory> {
  const reports = () => [...stderr().matchAll(/^memory: (.*)$/gm)].map(([, json = '']) => JSON.parse(json))
  const before = reports().length
  child.kill('SIGUSR2')
  await expect.poll(() => reports().length).toBe(before + 1)
  const { rss, heapUsed } = reports().at(-1)
  return { rss: rss / 1024 / 1024, heapUsed: heapUsed / 1024 / 1024 }
}

/** Opens one of the kinds of streams that clients have. */
function open({ url }: Program, store: string, random: Random, lastId: string | undefined): Promise<IncomingMessage> {
  const filters = ['', '&types=product.created', '&code_prefix=a', '&attributes=Color,Size']
  const query = `store_uuid=${store}${filters[random.below(filters.length)]}`
  const isSubscription = random.below(4) === 0
  const resumed = lastId && random.below(2) === 0 ? { 'last-event-id': lastId } : {}
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream', ...resumed }
  const sent = isSubscription
    ? request(`${url}/graphql`, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } })
    : request(`${url}/v1/events?${query}`, { headers })
  const document = `subscription { changes(storeUuid: "${store}") { cursor type codes } }`
  sent.end(isSubscription ? JSON.stringify({ query: document }) : undefined)
  return once(sent, 'response').then(([response]) => response)
}

/** Follows streams one after the other: each is cut after a moment, some of them unread. */
async function follow(gateway: Program, store: string, random: Random, isOver: () => boolean): Promise<number> {
  let lastId: string | undefined
  let opened = 0
  for (; !isOver(); opened++) {
    const stream = await open(gateway, store, random, lastId)
    stream.on('error', () => {})
    expect(stream.statusCode).toBe(200)
    if (random.below(5) > 0) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        lastId = /^id: (.+)$/m.exec(text)?.[1] ?? lastId
      })
    }
    await sleep(random.below(longestMs))
    stream.destroy()
  }
  return opened
}

it(`memory is flat over ${minutes} minutes of streams that come and go (seed ${seed})`, {
  timeout: minutes * 60_000 + 120_000,
}, async () => {
  const reporter = fileURLToPath(new URL('support/report-memory.ts', import.meta.url))
  const gateway = await serve(database, [], { LOG_LEVEL: 'warn', NODE_OPTIONS: `--expose-gc --import ${reporter}` })
  const store = await newStore(gateway)
  const end = performance.now() + minutes * 60_000
  const isOver = () => performance.now() >= end
  const write = async () => {
    let written = 0
    for (; !isOver(); written++) {
      await addProducts(gateway, store, [`${'ab'[written % 2]}${written}`])
      await sleep(writesPauseMs)
    }
    return written
  }
  const measure = async () => {
    const taken: Memory[] = []
    await sleep((minutes * 60_000) / samples / 5)
    for (let i = 0; i <= samples && !isOver(); i++) {
      const memory = await memoryOf(gateway)
      taken.push(memory)
      figure('streams', `heap ${memory.heapUsed.toFixed(1)} MiB, resident ${memory.rss.toFixed(0)} MiB`)
      await sleep(Math.max(0, Math.min((minutes * 60_000) / samples, end - performance.now() - 1_000)))
    }
    return taken
  }
  const followers = Array.from({ length: clients }, (_, i) => follow(gateway, store, new Random(seed + i), isOver))
  const [written, taken, ...opened] = await Promise.all([write(), measure(), ...followers])
  taken.push(await memoryOf(gateway))
  const [first, last] = [taken[1], taken.at(-1)]
  const count = opened.reduce((sum, one) => sum + one, 0)
  const metrics = async () => (await gateway.call('/metrics')).text
  await expect.poll(metrics).toMatch(/^catalogue_streams\{state="open"\} 0$/m)
  await gateway.end('SIGTERM')
  figure('streams', `seed ${seed}: ${count} streams, ${written} writes in ${minutes} minutes`)
  expect((last?.heapUsed ?? 0) - (first?.heapUsed ?? 0)).toBeLessThan(5)
  expect((last?.rss ?? 0) - (first?.rss ?? 0)).toBeLessThan(30)
})
