import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { restData } from '../support/clients/rest-client.ts'
import { openWires } from '../support/clients/wire.ts'
import { token } from '../support/servers/gateway.ts'
import { useGatewayProcess } from './support/gateway-process.ts'
import { quantile } from './support/quantile.ts'
import { figure, isLong } from './support/scale.ts'

const kept = isLong ? 10_000 : 1_000
const slow = isLong ? 2_000 : 60
const slowReaders = isLong ? 100 : 10
const authorization = `Authorization: Bearer ${token}`
/** The figures to reach: 400 MB for the gateway; p99 100 ms for a normal client, on an otherwise idle machine. */
const calmMs = isLong ? 100 : 5_000

const gateway = useGatewayProcess()

async function megabytes(): Promise<number> {
  const status = await readFile(`/proc/${gateway.program.child.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}

describe(`${kept} kept connections`, () => {
  it('are answered, all of them, again and again', async () => {
    const wires = await openWires(gateway.program.url, kept)
    onTestFinished(() => {
      for (const wire of wires) wire.close()
    })
    let answered = 0
    for (const path of ['/health', '/v1/nowhere', '/health']) {
      const request = `GET ${path} HTTP/1.1\r\nHost: gateway\r\n${authorization}\r\n\r\n`
      for (const wire of wires) wire.send(request)
      const statuses = await Promise.all(wires.map(async (wire) => (await wire.answer())?.status))
      expect(new Set(statuses)).toEqual(new Set([path === '/health' ? 200 : 404]))
      answered += statuses.length
    }
    const rss = await megabytes()
    expect(rss).toBeLessThan(400)
    figure(9, `${kept} kept connections, ${answered} answers, 0 resets, RSS ${Math.round(rss)} MB`)
  })
})

describe(`slow clients: ${slow} with headers, ${slow} with bodies, ${slowReaders} readers`, () => {
  it('are cut, and a normal client does not notice them', async () => {
    const large = Array.from({ length: 100 }, (_, i) => ({ product_code: `p${i}`, Long: 'x'.repeat(65_535) }))
    const query = `?store_uuid=${gateway.store}`
    await restData(gateway.program, `POST /products${query}`, large)
    const head = `PUT /v1/products${query} HTTP/1.1\r\nHost: gateway\r\n${authorization}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n`
    const { url } = gateway.program
    const reading = `GET /v1/products${query} HTTP/1.1\r\nHost: gateway\r\n${authorization}\r\n\r\n`
    const cut = Promise.all([
      gateway.clientProcess.run('drip', { url, head: 'GET /health HTTP/1.1\r\nX-Slow: ', byte: 'x', count: slow }),
      gateway.clientProcess.run('drip', { url, head: `${head}\r\n[`, byte: ' ', count: slow }),
      gateway.clientProcess.run('readSlowly', { url, head: reading, count: slowReaders }),
    ])
    let done = false
    const times: number[] = []
    const normal = (async () => {
      while (!done) {
        const { status, milliseconds } = await gateway.program.call(`/v1/assets${query}`)
        expect(status).toBe(200)
        times.push(milliseconds)
        await sleep(20)
      }
    })()
    const [headers, bodies, readers] = await cut
    done = true
    await normal
    const refused = readers.filter(({ isRefused }) => isRefused).length
    expect(refused).toBeLessThan(slowReaders)
    for (const { received } of readers) expect(received).toBeLessThan(6_000_000)
    const [slowest, slowestBody] = [Math.max(...headers), Math.max(...bodies)]
    const slowestReader = Math.max(...readers.map(({ milliseconds }) => milliseconds))
    expect(slowest).toBeLessThan(isLong ? 15_000 : 60_000)
    expect(slowestBody).toBeLessThan(isLong ? 25_000 : 60_000)
    expect(slowestReader).toBeLessThan(isLong ? 25_000 : 60_000)
    const p99 = quantile(times, 0.99)
    expect(p99).toBeLessThan(calmMs)
    figure(
      10,
      `${slow} slow headers cut ≤ ${slowest} ms, ${slow} bodies ≤ ${slowestBody} ms, ${slowReaders} readers (${refused} refused with 503) ≤ ${slowestReader} ms; a normal client's p99 ${p99.toFixed(1)} ms`,
    )
  })
})
