import type { Page } from 'playwright-core'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { endpoints } from '../../rest/endpoints.ts'
import { addProducts, newStore } from '../support/factories.ts'
import { token, useGateway } from '../support/servers/gateway.ts'
import { requestsToOtherOrigins, useBrowser } from './browser.ts'

const gateway = useGateway()
const chromium = useBrowser()
let page: Page
let otherOrigins: string[]
let errors: string[]

beforeEach(async () => {
  page = await chromium.browser.newPage({ permissions: ['clipboard-read', 'clipboard-write'] })
  otherOrigins = requestsToOtherOrigins(page, gateway.url)
  errors = []
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  page.on('pageerror', (error) => errors.push(error.message))
})
afterEach(async () => {
  expect({ otherOrigins, errors }).toEqual({ otherOrigins: [], errors: [] })
  await page.close()
})

async function enterToken(entered = token): Promise<void> {
  await page.click('#change-token')
  await page.fill('#token-input', entered)
  await Promise.all([page.waitForEvent('load'), page.click('#token-dialog button')])
}

const listAssets = () => page.locator('section[id$="/tag/assets/GET/assets"]')

async function openReference(): Promise<void> {
  await page.goto(`${gateway.url}/docs#tag/assets/GET/assets`)
  await listAssets().getByRole('heading', { name: 'List assets' }).waitFor()
}

/** Sends the request of the opened operation. */
async function send(): Promise<void> {
  const test = listAssets().getByRole('button', { name: /Test Request/ })
  await test.click()
  await page.getByRole('button', { name: /^Send/ }).first().click()
}

it('the welcome page leads to GraphiQL, to the reference and to the OpenAPI document', async () => {
  await page.goto(`${gateway.url}/`)
  const links = await page.locator('a').evaluateAll((all) => all.map((link) => link.getAttribute('href')))
  expect([...new Set(links)]).toEqual(['/', '/graphql', '/docs', '/v1/openapi.json', '/ready'])
  for (const link of links) {
    const answer = await page.request.get(`${gateway.url}${link}`, { headers: { accept: 'text/html, */*' } })
    expect(answer.status(), link ?? '').toBe(200)
  }
})

it('the welcome page copies a command with its own address, and counts once a token is known', async () => {
  const store = await newStore(gateway, { store_name: 'Counted' })
  await addProducts(gateway, store, ['A', 'B'])
  await page.goto(`${gateway.url}/`)
  await page.locator('pre', { hasText: '/v1/stores' }).getByRole('button').click()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toBe(`curl -s -H "Authorization: Bearer $TOKEN" ${gateway.url}/v1/stores`)
  expect(await page.innerText('#numbers')).toContain('Enter a token')
  expect(await page.innerText('#change-token')).toBe('Enter token')
  expect(await page.isVisible('#forget-token')).toBe(false)
  await enterToken()
  await expect.poll(() => page.innerText('#numbers')).toMatch(/Counted\s+2 products\s+[0-9a-f-]{36}\s+GraphiQL\s*REST/)
  expect(await page.getAttribute('#numbers a', 'href')).toBe(`/graphql?store=${store}`)
  await Promise.all([page.waitForEvent('load'), page.click('#forget-token')])
  expect(await page.innerText('#numbers')).toContain('Enter a token')
})

it('the welcome page asks again for a token that is not valid', async () => {
  await newStore(gateway)
  await page.goto(`${gateway.url}/`)
  await enterToken('not-the-right-token')
  await page.waitForSelector('#token-dialog .problem:visible')
  await page.fill('#token-input', token)
  await page.click('#token-dialog button')
  await expect.poll(() => page.innerText('#numbers')).toContain('0 products')
  errors = errors.filter((text) => !/status of 401/.test(text))
})

it.each(['/', '/docs', '/graphql'])('the bar of %s fits the width of a telephone, with a token', async (path) => {
  const store = await newStore(gateway, { store_name: 'A store with a long name' })
  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto(`${gateway.url}/`)
  await enterToken()
  await page.goto(`${gateway.url}${path}?store=${store}`)
  if (path !== '/') await page.waitForSelector('#store')
  const hidden = await page.$eval('#bar', (bar) => [
    bar.scrollWidth - bar.clientWidth,
    bar.scrollHeight - bar.clientHeight,
  ])
  expect(hidden).toEqual([0, 0])
  for (const button of ['#change-token', '#forget-token']) {
    const { x = 0, width = 0 } = (await page.locator(button).boundingBox()) ?? {}
    expect(x + width).toBeLessThanOrEqual(390)
  }
})

it('the reference has each operation, with its answers and its GraphQL operation, on less than 2,000 pixels', async () => {
  await openReference()
  const names = await page.evaluate(async () => {
    const document = await (await fetch('/v1/openapi.json')).json()
    const operations = Object.values(document.paths as object).flatMap((methods: object) => Object.values(methods))
    return operations.map(({ summary }) => summary as string)
  })
  expect(names).toHaveLength(endpoints.length)
  expect(await listAssets().innerText()).toContain('Exact number of groups that match, on all pages.')
  expect(await listAssets().getByRole('link', { name: 'open ListAssets in GraphiQL' }).getAttribute('href')).toBe(
    '/graphql?operation=ListAssets',
  )
  expect((await listAssets().boundingBox())?.height).toBeLessThan(2_000)
  for (const tag of ['Products', 'Stores', 'Changes', 'Events', 'Imports', 'Webhooks', 'Reports', 'Requests'])
    await page.locator('aside').getByRole('button', { name: tag }).first().click()
  const sidebar = page.locator('aside')
  for (const name of names) await sidebar.getByText(name, { exact: true }).first().waitFor()
})

it('a token is entered once: an operation answers with it, and GraphiQL has it too', async () => {
  await page.goto(`${gateway.url}/docs`)
  await enterToken()
  await openReference()
  await send()
  await expect.poll(() => page.getByRole('dialog').innerText(), { timeout: 10_000 }).toContain('"total_groups": 0')
  await page.goto(`${gateway.url}/graphql`)
  await page.waitForSelector('.graphiql-tab')
  expect(await page.locator('#token-dialog[open]').count()).toBe(0)
})

it('a request that is tried changes nothing: a write is a dry run, with the token of the bar alone', async () => {
  const store = await newStore(gateway)
  await addProducts(gateway, store, ['A'])
  await page.goto(`${gateway.url}/docs?store=${store}`)
  await enterToken()
  await page.goto(`${gateway.url}/docs?store=${store}#tag/products/PUT/products`)
  const update = page.locator('section[id$="/tag/products/PUT/products"]')
  await update.getByRole('heading', { name: 'Update products' }).waitFor()
  expect(await page.getByText('Bearer Token', { exact: true }).isVisible()).toBe(false)
  const sent = page.waitForRequest((request) => request.method() === 'PUT')
  await update.getByRole('button', { name: /Test Request/ }).click()
  await page.getByRole('button', { name: /^Send/ }).first().click()
  expect(new URL((await sent).url()).search).toBe(`?store_uuid=${store}&dry_run=true`)
})

it('an operation that is tried without a token asks for one, and says that a wrong one is not valid', async () => {
  await openReference()
  await send()
  await page.fill('#token-input', 'not-the-right-token')
  await page.click('#token-dialog button')
  await page.waitForSelector('#token-dialog .problem:visible')
  await page.fill('#token-input', token)
  await page.click('#token-dialog button')
  await expect.poll(() => page.getByRole('dialog').innerText(), { timeout: 10_000 }).toContain('store_uuid')
  errors = errors.filter((text) => !/status of 40[01]/.test(text))
})

it('the reference sends at most 1.3 MB at the first visit, and at most 40 KB at the second', async () => {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  let bytes = 0
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await openReference()
  await page.waitForLoadState('networkidle')
  expect(bytes).toBeLessThan(1_300_000)
  bytes = 0
  await page.reload({ waitUntil: 'networkidle' })
  expect(bytes).toBeLessThan(40_000)
})
