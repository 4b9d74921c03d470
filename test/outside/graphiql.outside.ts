import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { startTestGateway, type TestGateway, token } from '../support/gateway.ts'

const quiet = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-sync']

let gateway: TestGateway
let browser: Browser
let page: Page
let elsewhere: string[]

beforeAll(async () => {
  gateway = await startTestGateway()
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: quiet })
  await gateway.data(`mutation { createStore(input: { storeName: "Seen in GraphiQL", storeTaxonomy: "catalog",
    region: [], channels: ["SMP"], defaultAutomation: [] }) { storeUuid } }`)
})
afterAll(async () => {
  await browser.close()
  await gateway.stop()
})

beforeEach(async () => {
  page = await browser.newPage()
  elsewhere = []
  page.on('request', (request) => {
    const own = [gateway.url, 'blob:', 'data:'].some((start) => request.url().startsWith(start))
    if (!own) elsewhere.push(request.url())
  })
  await page.goto(`${gateway.url}/graphql`)
})
afterEach(() => page.close())

async function enter(text: string): Promise<void> {
  await page.fill('#token-input', text)
  await page.click('#token-dialog button')
}

/** The answer as the editor draws it: line by line, with spaces that do not break. */
async function shown(): Promise<string> {
  const lines = await page.locator('.result-window .view-line').allInnerTexts()
  return lines.join('\n').replaceAll('\u00a0', ' ')
}

async function run(): Promise<string> {
  await page.click('button.graphiql-execute-button')
  await expect.poll(shown, { timeout: 10_000 }).toContain('"data"')
  return shown()
}

it('asks for the token once, refuses a wrong one, runs the first example, and loads nothing from elsewhere', async () => {
  await page.waitForSelector('#token-dialog[open]')
  await enter('not-the-right-token')
  await page.waitForSelector('#token-dialog .problem:visible')
  await enter(token)
  expect(await run()).toContain('Seen in GraphiQL')
  expect(elsewhere).toEqual([])
})

it('keeps the token and the tabs over a reload', async () => {
  await enter(token)
  await run()
  await page.reload()
  expect(await run()).toContain('Seen in GraphiQL')
  expect(await page.locator('#token-dialog[open]').count()).toBe(0)
  expect(await page.locator('.graphiql-tab').count()).toBe(11)
})

it('forgets the token on demand: nothing of it is kept, and the next request asks again', async () => {
  await enter(token)
  await run()
  const kept = () => page.evaluate(() => JSON.stringify({ ...localStorage }))
  expect(await kept()).toContain(token)
  await page.getByRole('button', { name: 'Forget token' }).click()
  await page.waitForSelector('#token-dialog[open]')
  expect(await kept()).not.toContain(token)
  expect(await page.inputValue('#token-input')).toBe('')
  await page.reload()
  await page.waitForSelector('#token-dialog[open]')
  await enter(token)
  expect(await run()).toContain('Seen in GraphiQL')
})

it('opens with examples that all run without an error, those of reading without a change', async () => {
  await enter(token)
  for (const name of ['Stores', 'Catalogue', 'Assets', 'CreateStore']) {
    await page.click(`.graphiql-tab >> text="${name}"`)
    expect(await run(), name).not.toContain('"errors"')
    expect(await shown(), name).toMatch(/"(edges|createStore)"/)
  }
})

it('opens an operation that the address names, with its example variables, in a tab of its own', async () => {
  await enter(token)
  await page.goto(`${gateway.url}/graphql?operation=CreateStore`)
  expect(await page.locator('.graphiql-tab-active').innerText()).toContain('CreateStore')
  expect(await run()).toMatch(/"createStore": \{\s+"storeUuid"/)
  expect(await page.locator('.graphiql-tab').count()).toBe(11)
  await page.goto(`${gateway.url}/graphql?operation=DeleteAssets`)
  expect(await page.locator('.graphiql-tab-active').innerText()).toContain('DeleteAssets')
})

it('has an editor for headers and an explorer of the documentation', async () => {
  await enter(token)
  await page.click('text="Headers"')
  await page.click('button[aria-label="Show Documentation Explorer"]')
  await page.waitForSelector('.graphiql-doc-explorer')
  await expect.poll(() => page.locator('.graphiql-doc-explorer').innerText()).toContain('Root Types')
})
