import { createServer } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { readBody } from '../../src/http/body/read-body.ts'
import { listen } from '../support/servers/loopback.ts'

it('a body that has arrived in several pieces before it is read is read whole', async () => {
  const server = createServer(async (request, response) => {
    while (!request.complete) await setImmediate()
    const body = await readBody(request, 1_000_000)
    response.end(`${body.length} ${body.every((byte) => byte === 120)}`)
  })
  onTestFinished(() => void server.close())
  const socket = connect(await listen(server), '127.0.0.1')
  socket.write(
    `POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 100000\r\n\r\n${'x'.repeat(100_000)}`,
  )
  expect(await text(socket)).toMatch(/\r\n100000 true/)
})
