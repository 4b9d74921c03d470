import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { createFilterClient } from '../../src/filter-service/client.ts'

it('a connection that does not open makes the filter unavailable within the deadline', async () => {
  // It accepts connections, but says nothing in TLS.
  let ended = 0
  const silent = createServer((socket) => socket.on('error', () => {}).on('close', () => ended++))
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const client = createFilterClient({ url, timeoutMs: 300, log: pino({ level: 'silent' }) })
  const query = { channel: 'SMP', assetFormat: 'image', offset: 0, limit: 50 }
  await expect(client.choose('store', query)).rejects.toMatchObject({ code: 'downstream_unavailable' })
  expect(await client.isReachable()).toBe(false)
  // The library itself gives up later, and closes its connection.
  expect(ended).toBe(0)
  await client.close()
  silent.close()
})
