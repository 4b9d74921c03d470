import { execFile, spawn } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { fallbackEnumerations } from '../../src/catalogue/enumerations.ts'
import { loadDemo } from '../../src/demo/demo.ts'
import { token, useGateway } from '../support/servers/gateway.ts'
import { freePort } from '../support/servers/loopback.ts'
import { root } from '../support/sources.ts'
import { useBrowser } from './browser.ts'

const example = join(root, 'examples/react-dashboard')
const bin = (name: string) => join(root, 'tools/node_modules/.bin', name)

const gateway = useGateway()
const chromium = useBrowser()
let folder: string
let url: string
let stop: () => void
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'react-'))
  await cp(example, folder, {
    recursive: true,
    filter: (path) => !/node_modules|dist/.test(path.slice(example.length)),
  })
  await symlink(join(root, 'tools/node_modules'), join(folder, 'node_modules'))
  await promisify(execFile)(bin('tsc'), [], { cwd: folder })
  await promisify(execFile)(bin('vite'), ['build'], { cwd: folder })
  await loadDemo(gateway.database.catalogue, fallbackEnumerations, pino({ level: 'silent' }))
  const port = await freePort()
  const env = { ...process.env, GATEWAY_URL: gateway.url }
  const args = ['preview', '--host', '127.0.0.1', '--port', String(port), '--strictPort']
  const server = spawn(bin('vite'), args, { cwd: folder, env, stdio: 'ignore' })
  stop = () => void server.kill()
  url = `http://127.0.0.1:${port}`
  await vi.waitFor(() => fetch(url), { timeout: 90_000, interval: 100 })
})
afterAll(async () => {
  stop?.()
  await rm(folder, { recursive: true })
})

interface Rows {
  stores: {
    nodes: { storeUuid: string; storeName: string; facets: { values: { value: string; count: number }[] }[] }[]
  }
  statusRows: { storeName: string; status: string; count: number }[]
  coverageRows: { storeName: string; channel: string; assetFormat: string; groups: number }[]
}

it('shows the numbers of a store, and those of another one that is chosen', async () => {
  const { stores, statusRows, coverageRows } = (await gateway.data(`{
    stores { nodes { storeUuid storeName facets(names: ["Brand"]) { values { value count } } } }
    statusRows { storeName status count } coverageRows { storeName channel assetFormat groups } }`)) as unknown as Rows
  const [first, other] = stores.nodes
  if (!first || !other) throw new Error('the demo has two stores')
  const statusesOf = (store: typeof first) => statusRows.filter(({ storeName }) => storeName === store.storeName)

  const page = await chromium.browser.newPage({ viewport: { width: 1000, height: 680 } })
  await page.goto(url)
  await page.fill('#token', token)
  await page.click('button')
  const textOf = (panel: string) => page.getByRole('region', { name: panel }).innerText()
  const shown = async (panel: string) => (await textOf(panel)).split(/\s*\n\s*/)
  await page.waitForSelector('select')
  for (const store of [first, other]) {
    await page.selectOption('select', store.storeUuid)
    for (const { status, count } of statusesOf(store))
      await expect.poll(() => textOf('Status over time')).toContain(`${status} ${count}`)
    const brands = store.facets[0]?.values.flatMap(({ value, count }) => [value, String(count)]) ?? []
    await expect.poll(() => shown('Top brands')).toEqual(expect.arrayContaining(brands))
    const images = coverageRows.filter((row) => row.storeName === store.storeName && row.assetFormat === 'image')
    expect(await shown('Products with images by channel')).toEqual(
      expect.arrayContaining(images.flatMap(({ channel, groups }) => [channel, String(groups)])),
    )
    if (store === first && process.env.SCREENSHOT)
      await page.screenshot({ path: process.env.SCREENSHOT, fullPage: true })
  }
})

it('fits the width of a telephone', async () => {
  const page = await chromium.browser.newPage({ viewport: { width: 390, height: 800 } })
  await page.goto(url)
  await page.fill('#token', token)
  await page.click('button')
  await page.getByRole('region', { name: 'Top brands' }).waitFor()
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(390)
})

it('says what a gateway refuses', async () => {
  const page = await chromium.browser.newPage()
  await page.goto(url)
  await page.fill('#token', 'not-the-right-token')
  await page.click('button')
  await page.waitForSelector('.problem:visible')
})

it('is built with the versions that it names', async () => {
  const versionsOf = async (file: string) => {
    const { dependencies, devDependencies } = JSON.parse(await readFile(file, 'utf8'))
    return { ...dependencies, ...devDependencies }
  }
  expect(await versionsOf(join(root, 'tools/package.json'))).toMatchObject(
    await versionsOf(join(example, 'package.json')),
  )
})
