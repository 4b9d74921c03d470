import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** Clients in their own process: ten streams with each token, and a receiver of webhooks, whose port is printed. */
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
const receiver = createServer((incoming, answer) => {
  incoming.resume().on('end', () => answer.writeHead(204).end())
})
receiver.listen(0, '127.0.0.1', () => process.stdout.write(`${(receiver.address() as AddressInfo).port}\n`))
