import { chromium, type Page } from 'playwright-core'
import { fixture } from '../support/fixture.ts'
import { program } from '../support/servers/installed.ts'

const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-sync']

/** Chromium for the tests of the calling file. */
export function useBrowser() {
  return fixture(
    async () => {
      const browser = await chromium.launch({
        executablePath: program('chromium', process.env.CHROMIUM),
        args: flags,
      })
      return { browser }
    },
    ({ browser }) => browser?.close(),
  )
}

/** Adds the URLs that a page requests from other servers than `own` to the returned list. */
export function requestsToOtherOrigins(page: Page, own: string): string[] {
  const otherOrigins: string[] = []
  page.on('request', (request) => {
    const isOwn = [own, 'blob:', 'data:'].some((start) => request.url().startsWith(start))
    if (!isOwn) otherOrigins.push(request.url())
  })
  return otherOrigins
}
