import { createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Event } from '../src/live/event.ts'

/**
 * Clients in their own process: ten streams with each token, and a receiver of webhooks, whose port is printed. It
 * never answers `/dead`. `/lags` returns how old the changes were that came to `/timed` since the last time.
 */
const { url, tokens } = JSON.parse(await text(process.stdin)) as { url: string; tokens: string[] }
const open = (token: string) =>
  new Promise<void>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` }
    request(`${url}/v1/events`, { headers, agent: false }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`a stream must be open; got ${answer.statusCode}`))
      answer.resume()
      resolve()
    }).end()
  })
await Promise.all(tokens.flatMap((token) => Array.from({ length: 10 }, () => open(token))))
/** For each store, how old changes were when they arrived at `/timed`, in ms. */
let lags: Record<string, number[]> = {}
const unanswered = new Set<ServerResponse>()
const receiver = createServer(async (incoming, answer) => {
  const body = await text(incoming)
  if (incoming.url === '/dead') unanswered.add(answer)
  else if (incoming.url === '/lags') {
    answer.end(JSON.stringify(lags))
    lags = {}
    for (const one of unanswered) one.destroy()
    unanswered.clear()
  } else {
    if (incoming.url === '/timed') count(JSON.parse(body).data)
    answer.writeHead(204).end()
  }
})
receiver.listen(0, '127.0.0.1', () => process.stdout.write(`${(receiver.address() as AddressInfo).port}\n`))

function count({ changes, ...change }: Event & { changes?: Event[] }): void {
  for (const { store_uuid, at } of changes ?? [change]) {
    lags[store_uuid] ??= []
    lags[store_uuid].push(Date.now() - Date.parse(at))
  }
}
