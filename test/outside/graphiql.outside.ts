import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { addProducts, newStore } from '../support/factories.ts'
import { token, useGateway } from '../support/servers/gateway.ts'
import { newToken } from '../support/tokens.ts'
import { requestsToOtherOrigins, useBrowser } from './browser.ts'

const gateway = useGateway()
const chromium = useBrowser()
let page: Page
let otherOrigins: string[]

/** The tabs of a first visit. */
const prepared = [
  ...['Stores', 'Products', 'Product', 'NavyByPrice', 'TopBrands', 'MissingImages', 'DryRun', 'WhatChanged'],
  'Coverage',
]
let store: string

beforeAll(async () => {
  store = await newStore(gateway, { store_name: 'Seen in GraphiQL' })
  await addProducts(gateway, store, ['P-1', 'P-2'])
})

beforeEach(async () => {
  page = await chromium.browser.newPage()
  otherOrigins = requestsToOtherOrigins(page, gateway.url)
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

/** The operation that GraphiQL found in the open tab: it reads the query a moment after the tab is opened. */
async function operationOfTab(): Promise<string | null> {
  const kept = await page.evaluate(() => localStorage.getItem('graphiql:tabState') ?? '')
  const { tabs, activeTabIndex } = JSON.parse(kept)
  return tabs[activeTabIndex].operationName
}

async function run(): Promise<string> {
  await page.click('button.graphiql-execute-button')
  await expect.poll(shown).toContain('"data"')
  return shown()
}

it('asks for the token once, refuses a wrong one, runs the first example, and loads nothing from elsewhere', async () => {
  await page.waitForSelector('#token-dialog[open]')
  await enter('not-the-right-token')
  await page.waitForSelector('#token-dialog .problem:visible')
  await enter(token)
  expect(await run()).toContain('Seen in GraphiQL')
  expect(otherOrigins).toEqual([])
})

it('opens each tab at the first click, and all answer with what the store has', { timeout: 240_000 }, async () => {
  await enter(token)
  await run()
  expect(await namesOfTabs()).toEqual(prepared)
  for (const [i, name] of prepared.entries()) {
    const tab = page.locator('.graphiql-tab').nth(i)
    await tab.scrollIntoViewIfNeeded()
    const { x, y, width, height } = (await tab.boundingBox()) ?? expect.fail()
    await page.mouse.move(x + width / 2, y + height / 2)
    await page.mouse.down()
    await page.mouse.up()
    await expect.poll(() => tab.getAttribute('class')).toContain('active')
    await expect.poll(operationOfTab).toBe(name)
    expect(await run(), name).not.toContain('"errors"')
    if (name === 'Product') await expect.poll(shown).toContain('"productCode": "P-1"')
    if (name === 'DryRun') await expect.poll(shown).toMatch(/"updatedSkus": \[\s+"P-1"/)
  }
})

it('opens the same tab with its variables after a reload, and adds none', async () => {
  await enter(token)
  await page.waitForSelector('.graphiql-tab')
  await page.locator('.graphiql-tab', { hasText: 'Products' }).click()
  await expect.poll(operationOfTab).toBe('Products')
  for (let visit = 0; visit < 2; visit++) {
    await page.reload()
    await expect.poll(namesOfTabs).toEqual(prepared)
    expect(await run()).toContain('"productCode": "P-1"')
  }
})

it('names another store and its products once the store is picked', async () => {
  const other = await newStore(gateway, { store_name: 'Another one' })
  await addProducts(gateway, other, ['O-1'])
  await page.goto(`${gateway.url}/graphql?store=${store}`)
  await enter(token)
  await page.goto(`${gateway.url}/graphql?operation=GetProduct`)
  expect(await run()).toContain('"P-1"')
  await Promise.all([page.waitForEvent('load'), page.selectOption('#store', 'Another one')])
  expect(await run()).toContain('"O-1"')
  expect(await variablesOfTabs()).not.toContain(store)
})

it('takes a token that is pasted with its Bearer, and opens an example of the menu', async () => {
  await enter(`Bearer ${token}`)
  expect(await run()).toContain('Seen in GraphiQL')
  await Promise.all([page.waitForEvent('load'), page.selectOption('#examples', 'UpdateProducts')])
  await expect.poll(namesOfTabs).toEqual([...prepared, 'UpdateProducts'])
  expect(await run()).toMatch(/"updatedSkus": \[\s+"P-1"/)
})

async function namesOfTabs(): Promise<string[]> {
  return (await page.locator('.graphiql-tab').allInnerTexts()).map((name) => name.trim())
}

function variablesOfTabs(): Promise<string> {
  return page.evaluate(() => localStorage.getItem('graphiql:tabState') ?? '')
}

it('keeps the token and the tabs over a reload', async () => {
  await enter(token)
  await run()
  await page.reload()
  expect(await run()).toContain('Seen in GraphiQL')
  expect(await page.locator('#token-dialog[open]').count()).toBe(0)
  expect(await page.locator('.graphiql-tab').count()).toBe(prepared.length)
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

it('forgets the token with "Clear data" too, and begins with the prepared tabs', async () => {
  await enter(token)
  await run()
  await page.click('button[aria-label="Open settings dialog"]')
  await page.click('text="Clear data"')
  await page.waitForSelector('text="Cleared data"')
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain(token)
  await page.reload()
  await page.waitForSelector('#token-dialog[open]')
  await enter(token)
  expect(await run()).toContain('Seen in GraphiQL')
  expect(await page.locator('.graphiql-tab').count()).toBe(prepared.length)
})

it('runs with another token once it is changed; a dialog that is left keeps the one before', async () => {
  const other = await newStore(gateway, { store_name: 'Of another token' })
  const { secret } = await newToken(gateway, { scopes: ['READ'], stores: [other] })
  await enter(token)
  expect(await run()).toContain('Seen in GraphiQL')
  await page.click('#change-token')
  expect(await page.inputValue('#token-input')).toBe('')
  await page.keyboard.press('Escape')
  await page.waitForSelector('#token-dialog', { state: 'hidden' })
  await page.click('#change-token')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.waitForSelector('#token-dialog', { state: 'hidden' })
  expect(await run()).toContain('Seen in GraphiQL')
  await page.click('#change-token')
  await Promise.all([page.waitForEvent('load'), enter(secret)])
  const answer = await run()
  expect(answer).toContain('Of another token')
  expect(answer).not.toContain(store)
})

it('underlines an unknown field of a query and a variable of another type, but no valid map of attributes', async () => {
  await enter(token)
  await page.waitForSelector('.graphiql-tab')
  const query = `mutation ($store: ID!, $products: [ProductPatch!]!) {
  updateProducts(storeUuid: $store, products: $products) {
    updatedSkus noSuchField
  }
}`
  // Lines out of sight are not drawn.
  const variables = JSON.stringify({ store: '', products: [{ productCode: 7, attributes: { Color: 'red' } }] })
  await page.goto(`${gateway.url}/graphql?${new URLSearchParams({ query, variables })}`)
  await underlinesOnly('.graphiql-query-editor', 'noSuchField', 'Cannot query field "noSuchField"')
  await underlinesOnly('.graphiql-editor-tool', '7', 'Incorrect type. Expected "string".')
})

/** The editor underlines this word alone, and gives the reason under the pointer. */
async function underlinesOnly(editor: string, word: string, reason: string): Promise<void> {
  await expect.poll(() => page.locator(`${editor} [class*="squiggly"]`).count()).toBe(1)
  await page.locator(`${editor} .view-line span span`, { hasText: word }).hover()
  await expect.poll(async () => (await page.locator('.monaco-hover').allInnerTexts()).join('\n')).toContain(reason)
}

it('opens an operation that the address names, with its example variables, in a tab of its own', async () => {
  await enter(token)
  await page.goto(`${gateway.url}/graphql?operation=CreateStore`)
  expect(await page.locator('.graphiql-tab-active').innerText()).toContain('CreateStore')
  expect(await run()).toMatch(/"createStore": \{\s+"storeUuid"/)
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

it('takes no variables of the last tab for a query that the address names', async () => {
  await enter(token)
  await page.waitForSelector('.graphiql-tab')
  await page.goto(`${gateway.url}/graphql?operation=DeleteAssets`)
  await page.waitForSelector('.graphiql-tab')
  await page.goto(`${gateway.url}/graphql?query=%7Benumerations%7Bregions%7D%7D`)
  await page.waitForSelector('.graphiql-tab')
  expect(await run()).toContain('Europe')
  expect(await page.evaluate(() => localStorage.getItem('graphiql:variables') ?? '')).toBe('')
})

it('sends at most 2.5 MB at the first visit, and at most 20 KB at the second', async () => {
  const context = await chromium.browser.newContext()
  const visit = async () => {
    const tab = await context.newPage()
    const session = await context.newCDPSession(tab)
    await session.send('Network.enable')
    let bytes = 0
    const requested = new Set<string>()
    session.on('Network.responseReceived', ({ requestId, response }) => {
      if (response.url.startsWith('http')) requested.add(requestId)
    })
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (requested.has(requestId)) bytes += encodedDataLength
    })
    await tab.goto(`${gateway.url}/graphql`)
    const needsToken = await tab.locator('#token-dialog[open]').count()
    if (needsToken > 0) {
      await tab.fill('#token-input', token)
      await tab.click('#token-dialog button')
    }
    await tab.waitForSelector('.graphiql-tab')
    for (let before = -1; bytes > before; await sleep(1_000)) before = bytes
    await tab.close()
    return bytes
  }
  const [first, second] = [await visit(), await visit()]
  expect(first).toBeGreaterThan(1_000_000)
  expect(first).toBeLessThan(2_500_000)
  expect(second).toBeLessThan(20_000)
  await context.close()
})
