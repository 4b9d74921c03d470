// Receives a webhook of the gateway: verifies each delivery, takes it once, and prints the codes of its changes.
// WEBHOOK_SECRET=whsec_… PORT=8080 npx node examples/webhook-receiver.ts
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'

const secret = process.env.WEBHOOK_SECRET ?? ''
if (!secret.startsWith('whsec_')) {
  console.error('set WEBHOOK_SECRET to the secret that the creation of the webhook printed: whsec_…')
  process.exit(1)
}
const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
const maxAgeSeconds = 300
const port = Number(process.env.PORT ?? 8080)
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
  if (!isGenuine(request.headers, body)) {
    console.log('refused: bad signature or time')
    return response.writeHead(401).end()
  }
  const id = String(request.headers['webhook-id'])
  if (!handled.has(id)) {
    const { type, data } = JSON.parse(body)
    for (const change of data.changes ?? [data]) {
      console.log(type, ...(change.codes ?? []))
      if (change.more) console.log(`more: GET /v1/requests/${change.request_id}?store_uuid=${change.store_uuid}`)
    }
    handled.add(id)
  }
  response.writeHead(204).end()
})
  .on('error', ({ message }) => {
    console.error(`cannot listen on port ${port}: ${message}; set PORT to another one`)
    process.exit(1)
  })
  .listen(port, '127.0.0.1', () => console.error(`waiting for deliveries at http://127.0.0.1:${port}`))
