import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { ownContentOnly, type Page } from '../http/page.ts'

/** What the pages show that is known only at run time. */
export interface PageSources {
  /** The OpenAPI document as JSON text, with the enumerations in force. */
  openApi(): string
}

const swaggerUi = createRequire(import.meta.url).resolve('swagger-ui-dist/package.json')
const types = { css: 'text/css', html: 'text/html', js: 'text/javascript', json: 'application/json' }

/** What is served to people and to tools without a token: path to page. Files are read when they are first asked for, and kept. */
export function createPages({ openApi }: PageSources): ReadonlyMap<string, () => Page> {
  const own = (name: string) => file(new URL(name, import.meta.url))
  const vendor = (name: string) => file(new URL(name, `file://${swaggerUi}`))
  return new Map<string, () => Page>([
    ['/', once(() => ({ ...own('welcome.html'), isForBrowsers: true }))],
    ['/docs', once(() => own('docs.html'))],
    ['/docs/page.css', once(() => own('docs.css'))],
    ['/docs/page.js', once(() => own('docs.js'))],
    ['/docs/swagger-ui.css', once(() => vendor('swagger-ui.css'))],
    ['/docs/swagger-ui.js', once(() => vendor('swagger-ui-bundle.js'))],
    ['/v1/openapi.json', () => ({ type: 'application/json; charset=utf-8', body: openApi() })],
  ])
}

function file(url: URL): Page {
  const ending = url.pathname.split('.').at(-1) as keyof typeof types
  return { type: `${types[ending]}; charset=utf-8`, body: readFileSync(url), headers: ownContentOnly }
}

/** Makes a page when it is first asked for, and keeps it. */
export function once(make: () => Page): () => Page {
  let made: Page | undefined
  return () => {
    made ??= make()
    return made
  }
}
