import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { onTestFinished } from 'vitest'
import type { Event } from '../../src/live/event.ts'
import type { RetryTimes } from '../../src/webhooks/deliver/retries.ts'
import { listen } from '../support/servers/loopback.ts'

/** Times of retries for which tests need not wait. */
export const fastTimes: RetryTimes = {
  first: 50,
  soon: 200,
  soonFor: 600_000,
  late: 200,
  pausedAfter: 600_000,
  slice: 5_000,
  joining: 1_000,
}

interface Body {
  type: string
  timestamp: string
  data: Event & { changes?: Event[]; more?: boolean; cursor: string }
}

/** A request that a receiver got. */
export interface Received {
  path: string
  headers: IncomingHttpHeaders
  text: string
  body: Body
  at: number
}

/** How a receiver answers its nth request, from 0. */
export type Answer = (response: ServerResponse, request: Received, n: number) => unknown

/** A receiver on the loopback. */
export async function startReceiver(answer: Answer = (response) => response.end(), port = 0) {
  const received: Received[] = []
  const behaviour = { answer }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const one = { path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text), at: Date.now() }
    received.push(one)
    behaviour.answer(response, one, received.length - 1)
  })
  const own = await listen(server, port)
  const stop = async () => {
    server.closeAllConnections()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  onTestFinished(stop)
  return {
    received,
    port: own,
    url: `http://127.0.0.1:${own}/hook`,
    answerWith: (next: Answer) => {
      behaviour.answer = next
    },
    stop,
  }
}

export function status(code: number, headers: Record<string, string> = {}): Answer {
  return (response) => response.writeHead(code, headers).end('the answer')
}

/** Verifies what was received as a receiver does, by the library of the standard. */
export function verified({ text, headers }: Received, secret: string): unknown {
  return new Webhook(secret).verify(text, headers as Record<string, string>)
}

/**
 * The events of what was received, each id once, in the order of the first attempts. Without that of the store, which
 * is delivered, too, if older transactions of the server were open when the webhook was made.
 */
export function eventsOf(received: readonly Received[]): Event[] {
  const byId = new Map(received.map((one) => [one.headers['webhook-id'], one]))
  return [...byId.values()]
    .flatMap(({ body: { data } }) => data.changes ?? [data])
    .filter(({ type }) => type !== 'store.created')
}
