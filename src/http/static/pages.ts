import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { lazy } from '../../lazy.ts'
import { ownContentOnly, type Page } from '../page.ts'

/** What the pages show that is known only at run time. */
export interface PageSources {
  /** The OpenAPI document as JSON text, with the enumerations in force. */
  openApi(): Promise<string>
}

const vendorFile = (name: string) => createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`)
const types = { css: 'text/css', html: 'text/html', js: 'text/javascript', json: 'application/json' }

/** What is served to people and to tools without a token: path to page. Files are read when they are first asked for, and kept. */
export function createPages({ openApi }: PageSources): ReadonlyMap<string, () => Page | Promise<Page>> {
  const own = (name: string) => file(new URL(name, import.meta.url))
  const vendor = (name: string) => file(pathToFileURL(vendorFile(name)))
  return new Map<string, () => Page | Promise<Page>>([
    ['/', lazy(() => ({ ...own('welcome.html'), isForBrowsers: true }))],
    ['/docs', lazy(() => own('docs.html'))],
    ['/docs/page.css', lazy(() => own('docs.css'))],
    ['/docs/page.js', lazy(() => own('docs.js'))],
    ['/docs/swagger-ui.css', lazy(() => vendor('swagger-ui.css'))],
    ['/docs/swagger-ui.js', lazy(() => vendor('swagger-ui-bundle.js'))],
    ['/v1/openapi.json', async () => ({ type: 'application/json; charset=utf-8', body: await openApi() })],
  ])
}

function file(url: URL): Page {
  const ending = url.pathname.split('.').at(-1) as keyof typeof types
  return { type: `${types[ending]}; charset=utf-8`, body: readFileSync(url), headers: ownContentOnly }
}
