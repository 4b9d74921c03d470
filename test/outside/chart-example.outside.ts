import { expect, it } from 'vitest'
import { addProducts, newStore } from '../support/factories.ts'
import { token, useGateway } from '../support/servers/gateway.ts'
import { useBrowser } from './browser.ts'

const gateway = useGateway({ more: { corsOrigins: ['null'] } })
const chromium = useBrowser()

it('the chart of one file shows the products by status, opened from the disk', async () => {
  await addProducts(gateway, await newStore(gateway), ['A', 'B'])
  const page = await chromium.browser.newPage()
  await page.goto(new URL('../../examples/chart.html', import.meta.url).href)
  await page.fill('[name=url]', gateway.url)
  await page.fill('[name=token]', token)
  await page.click('button')
  await expect.poll(() => page.innerText('#chart')).toMatch(/\w+\s+2/)
  await page.fill('[name=url]', 'http://127.0.0.1:1')
  await page.click('button')
  await expect.poll(() => page.innerText('#problem')).toContain('null in CORS_ORIGINS')
  await page.close()
})
