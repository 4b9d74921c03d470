import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { endpoints } from '../../rest/endpoints.ts'
import { newStore } from '../support/factories.ts'
import { startTestGateway, type TestGateway, token } from '../support/servers/gateway.ts'

const quiet = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-sync']

let gateway: TestGateway
let browser: Browser
let page: Page
let elsewhere: string[]
let complaints: string[]

beforeAll(async () => {
  gateway = await startTestGateway()
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: quiet })
})
afterAll(async () => {
  await browser.close()
  await gateway.stop()
})

beforeEach(async () => {
  page = await browser.newPage()
  elsewhere = []
  complaints = []
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    const own = [gateway.url, 'blob:', 'data:'].some((start) => request.url().startsWith(start))
    if (!own) elsewhere.push(request.url())
  })
})
afterEach(async () => {
  expect({ elsewhere, complaints }).toEqual({ elsewhere: [], complaints: [] })
  await page.close()
})

const opened = (operation: string) => page.locator(`[id="operations-${operation}"]`)

async function authorise(): Promise<void> {
  await page.click('.btn.authorize')
  await page.fill('.auth-container input', token)
  await page.click('.auth-btn-wrapper .authorize')
  await page.click('.auth-btn-wrapper .btn-done')
}

it('the welcome page leads to the reference, to GraphiQL and to the OpenAPI document', async () => {
  await page.goto(`${gateway.url}/`)
  const links = await page.locator('a').evaluateAll((all) => all.map((link) => link.getAttribute('href')))
  expect(links).toEqual(['/docs', '/graphql', '/v1/openapi.json', '/ready'])
  for (const link of links) {
    const answer = await page.request.get(`${gateway.url}${link}`, { headers: { accept: 'text/html, */*' } })
    expect(answer.status(), link ?? '').toBe(200)
  }
})

it('the reference shows each operation with its GraphQL twin', async () => {
  await page.goto(`${gateway.url}/docs`)
  await expect.poll(() => page.locator('.opblock').count(), { timeout: 10_000 }).toBe(endpoints.length)
  await opened('Assets-listAssets').locator('.opblock-summary-control').click()
  const twin = opened('Assets-listAssets').locator('.twin')
  expect(await twin.locator('a').getAttribute('href')).toBe('/graphql?operation=ListAssets')
  expect(await twin.locator('pre').first().textContent()).toContain('query ListAssets(')
  await opened('Products-createProducts').locator('.opblock-summary-control').click()
  expect(await opened('Products-createProducts').locator('.extension').count()).toBe(1)
})

it('a person can authorise and call an operation, and finds the token again in GraphiQL and after a reload', async () => {
  const store = await newStore(gateway)
  await page.goto(`${gateway.url}/docs`)
  await authorise()
  await page.reload()
  const listing = opened('Assets-listAssets')
  await listing.locator('.opblock-summary-control').click()
  await listing.locator('.try-out__btn').click()
  await listing.locator('tr[data-param-name="store_uuid"] input').fill(store)
  await listing.locator('.execute').click()
  const answer = listing.locator('.live-responses-table .highlight-code').first()
  await expect.poll(() => answer.innerText(), { timeout: 10_000 }).toContain('"total_groups": 0')
  await page.goto(`${gateway.url}/graphql`)
  await page.waitForSelector('.graphiql-tab')
  expect(await page.locator('#token-dialog[open]').count()).toBe(0)
})
