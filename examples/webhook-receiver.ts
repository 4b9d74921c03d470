// Receives a webhook of the gateway: verifies each delivery, takes it once, and prints the codes of its changes.
// WEBHOOK_SECRET=whsec_… PORT=8080 node examples/webhook-receiver.ts
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'

const key = Buffer.from((process.env.WEBHOOK_SECRET ?? '').replace('whsec_', ''), 'base64')
const maxAgeSeconds = 300
/** A service keeps them in its database, in the transaction that handles the delivery. */
const handled = new Set<string>()

function isGenuine(headers: IncomingHttpHeaders, body: string): boolean {
  const timestamp = String(headers['webhook-timestamp'])
  if (!(Math.abs(Date.now() / 1_000 - Number(timestamp)) <= maxAgeSeconds)) return false
  const expected = createHmac('sha256', key).update(`${headers['webhook-id']}.${timestamp}.${body}`).digest()
  return String(headers['webhook-signature'])
    .split(' ')
    .map((signature) => Buffer.from(signature.replace('v1,', ''), 'base64'))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected))
}

createServer(async (request, response) => {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks).toString()
  if (!isGenuine(request.headers, body)) return response.writeHead(401).end()
  const id = String(request.headers['webhook-id'])
  if (!handled.has(id)) {
    const { type, data } = JSON.parse(body)
    for (const change of data.changes ?? [data]) console.log(type, ...(change.codes ?? []))
    handled.add(id)
  }
  response.writeHead(204).end()
}).listen(Number(process.env.PORT ?? 8080), '127.0.0.1')
