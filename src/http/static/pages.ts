import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { endpoints } from '../../../rest/endpoints.ts'
import type { Enumerations } from '../../../rest/request/shapes.ts'
import { lazy } from '../../lazy.ts'
import { contentPolicy, type Page } from './page.ts'

const types = { css: 'text/css', html: 'text/html', js: 'text/javascript' }
const json = 'application/json; charset=utf-8'

/**
 * What people and tools get without a token: path to page. Files are read when they are first asked for, and kept.
 * `readiness` says `ok`, or what is missing.
 */
export function createPages(enumerations: () => Enumerations, readiness: () => Promise<string>) {
  const own = (name: string) => file(new URL(name, import.meta.url))
  const vendor = (name: string) =>
    file(pathToFileURL(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`)))
  const openApi = lazy(async () => {
    const { openApiText } = await import('../../../rest/openapi/document.ts')
    return openApiText(endpoints, enumerations)
  })
  return new Map<string, () => Page | Promise<Page>>([
    ['/', lazy(() => ({ ...own('welcome.html'), isForBrowsers: true }))],
    ['/docs', lazy(() => own('docs.html'))],
    ['/docs/page.css', lazy(() => own('docs.css'))],
    ['/docs/page.js', lazy(() => own('docs.js'))],
    ['/docs/swagger-ui.css', lazy(() => vendor('swagger-ui.css'))],
    ['/docs/swagger-ui.js', lazy(() => vendor('swagger-ui-bundle.js'))],
    ['/v1/openapi.json', async () => ({ type: json, body: (await openApi())() })],
    ['/health', () => probe('ok')],
    ['/ready', async () => probe(await readiness())],
  ])
}

/** GraphiQL with the operations of REST as examples, made when it is first asked for. */
export function createGraphiql(enumerations: () => Enumerations): () => Promise<Page> {
  return lazy(async () => {
    const [{ graphiqlPage }, { graphqlTwins }] = await Promise.all([
      import('./graphiql.ts'),
      import('../../../rest/openapi/operation.ts'),
    ])
    return graphiqlPage(graphqlTwins(endpoints, enumerations()))
  })
}

/** The policy of a page that loads what this gateway serves, and nothing else. */
const ownContent = contentPolicy([
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
])

function file(url: URL): Page {
  const ending = url.pathname.split('.').at(-1) as keyof typeof types
  const headers = { 'Content-Security-Policy': ownContent }
  return { type: `${types[ending]}; charset=utf-8`, body: [readFileSync(url)], headers }
}

function probe(status: string): Page {
  const headers = { 'Cache-Control': 'no-store' }
  const page = { type: json, body: JSON.stringify({ status }) }
  if (status === 'ok') return { ...page, headers }
  return { ...page, status: 503, headers: { ...headers, 'Retry-After': '1' } }
}
