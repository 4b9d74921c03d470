import { createServer } from 'node:net'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { createFilterClient } from '../../src/filter-service/client.ts'
import { listen } from '../support/servers/loopback.ts'

it('a connection that does not open makes the filter unavailable within the deadline', async () => {
  // It accepts connections, but says nothing in TLS.
  let ended = 0
  const silent = createServer((socket) => socket.on('error', () => {}).on('close', () => ended++))
  const url = `https://127.0.0.1:${await listen(silent)}`
  const client = createFilterClient({ url, timeoutMs: 300, log: pino({ level: 'silent' }) })
  const query = { channel: 'SMP', assetFormat: 'image', offset: 0, limit: 50 }
  await expect(client.choose('store', query)).rejects.toMatchObject({ code: 'downstream_unavailable' })
  expect(await client.isReachable()).toBe(false)
  // The library itself gives up later, and closes its connection.
  expect(ended).toBe(0)
  await client.close()
  silent.close()
})
