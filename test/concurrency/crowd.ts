import { Agent, request } from 'node:http'
import { pino } from 'pino'
import { fallbackEnumerations } from '../../src/catalog/enumerations.ts'
import { connect } from '../../src/database/connect.ts'
import { startGateway } from '../../src/gateway.ts'
import { startTestGateway, type TestGateway, token } from '../support/gateway.ts'

/** How many clients write at once. */
export const writers = 64

/** Two gateways on one database, each with connections enough for half of the writers. */
export interface Crowd {
  gateway: TestGateway
  /** Calls the one gateway or the other, by the writer's number; throws when the answer is no success. */
  call(writer: number, method: string, path: string, body?: unknown): Promise<unknown>
  graphql(writer: number, query: string, variables: object): Promise<Record<string, unknown>>
  stop(): Promise<void>
}

const connection = { max: writers / 2, connectionTimeoutMillis: 20_000 }

export async function startCrowd(): Promise<Crowd> {
  const gateway = await startTestGateway({ connection })
  const db = connect({ connectionString: gateway.database.url, ...connection }, () => {})
  const other = await startGateway({
    db,
    globalConfig: { enumerations: () => fallbackEnumerations, stop: () => {} },
    bootstrapToken: token,
    host: '127.0.0.1',
    port: 0,
    log: pino({ level: 'silent' }),
  })
  const agent = new Agent({ keepAlive: true })
  const send = async (writer: number, method: string, path: string, body?: unknown) => {
    const { status, text } = await exchange(agent, writer % 2 ? other.url : gateway.url, method, path, body)
    if (status !== 200) throw new Error(`writer ${writer}: ${method} ${path} was answered with ${status} ${text}`)
    return JSON.parse(text)
  }
  return {
    gateway,
    call: async (writer, method, path, body) => (await send(writer, method, `/v1${path}`, body)).data,
    graphql: async (writer, query, variables) => {
      const { data, errors } = await send(writer, 'POST', '/graphql', { query, variables })
      if (errors) throw new Error(`writer ${writer}: ${JSON.stringify(errors)}`)
      return data
    },
    stop: async () => {
      agent.destroy()
      await other.close()
      await db.destroy()
      await gateway.stop()
    },
  }
}

function exchange(agent: Agent, url: string, method: string, path: string, body: unknown) {
  const bytes = JSON.stringify(body) ?? ''
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(bytes),
  }
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const outgoing = request(new URL(url + path), { method, agent, headers }, async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
      resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() })
    })
    outgoing.on('error', reject)
    outgoing.end(bytes)
  })
}

/** Everybody's work at once; the first failure fails all. */
export async function together(work: (writer: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: writers }, (_, writer) => work(writer)))
}

/** Random choices that a seed repeats: each writer has its own. */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** A whole number below `n` (mulberry32). */
  below(n: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * n)
  }

  /** So many of the items, in random order. */
  some<T>(items: readonly T[], count: number): T[] {
    const left = [...items]
    return Array.from({ length: Math.min(count, left.length) }, () => left.splice(this.below(left.length), 1)).flat()
  }

  shuffled<T>(items: readonly T[]): T[] {
    return this.some(items, items.length)
  }
}
