import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import dashboard from '../../deploy/grafana/catalogue-gateway.json' with { type: 'json' }
import { createFilterClient } from '../../src/filter-service/client.ts'
import { startGlobalConfig } from '../../src/global-config/global-config.ts'
import { newStore } from '../support/factories.ts'
import { useFolder } from '../support/folder.ts'
import { configFile } from '../support/global-config.ts'
import { startTestGateway, type TestGateway, token } from '../support/servers/gateway.ts'
import { program } from '../support/servers/installed.ts'
import { freePort } from '../support/servers/loopback.ts'

const folder = useFolder()
const log = pino({ level: 'silent' })
const ends: (() => unknown)[] = []
let gateway: TestGateway
let url: string

beforeAll(async () => {
  const config = await configFile({})
  const globalConfig = await startGlobalConfig({ globalConfig: config.url, globalConfigRefreshMs: 60_000 }, log)
  const filterClient = createFilterClient({ url: 'http://127.0.0.1:1', timeoutMs: 500, log })
  gateway = await startTestGateway({ globalConfig, filterClient })
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  await writeFile(
    folder.file('prometheus.yml'),
    `scrape_configs:
  - job_name: catalogue
    scrape_interval: 250ms
    scrape_timeout: 250ms
    authorization: { credentials: ${token} }
    static_configs: [{ targets: ['${new URL(gateway.url).host}'] }]
`,
  )
  const args = ['config.file=prometheus.yml', 'storage.tsdb.path=data', `web.listen-address=127.0.0.1:${port}`]
  const prometheus = spawn(
    program('prometheus', process.env.PROMETHEUS),
    args.map((each) => `--${each}`),
    { cwd: folder.path, stdio: 'ignore' },
  )
  const exited = once(prometheus, 'exit')
  ends.push(
    async () => {
      prometheus.kill()
      await exited
    },
    gateway.stop,
    filterClient.close,
    globalConfig.stop,
    config.remove,
  )
})
afterAll(async () => {
  for (const end of ends) await end()
})

/** The series that an expression of a panel has now, with the dashboard's variables as for all instances. */
async function seriesOf(expression: string): Promise<{ value: [number, string] }[]> {
  const query = expression.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '1m')
  const answer = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query })}`)
  const json = (await answer.json()) as {
    status: string
    error?: string
    data: { result: { value: [number, string] }[] }
  }
  expect(json.status, json.error).toBe('success')
  return json.data.result
}

it('is scraped', async () => {
  const targets = () =>
    fetch(`${url}/api/v1/targets`).then(
      (answer) => answer.text(),
      () => 'not yet',
    )
  await expect.poll(targets, { interval: 200 }).toContain('"health":"up"')
})

it('each expression of the operations dashboard has numbers in Prometheus', async () => {
  const store = await newStore(gateway)
  const page = `/v1/assets?store_uuid=${store}`
  const work = async () => {
    expect((await gateway.call(`${page}&limit=0`)).status).toBe(400)
    expect((await gateway.call(page)).status).toBe(502)
    await gateway.call('/v1/stores')
  }
  const panels = dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })))
  expect(panels.length).toBeGreaterThanOrEqual(11)
  for (const { title, expr } of panels) {
    const numbers = async () => {
      await work()
      return (await seriesOf(expr)).map(({ value }) => Number(value[1])).filter((n) => n >= 0)
    }
    await expect.poll(numbers, { message: title, interval: 500 }).not.toEqual([])
  }
})
