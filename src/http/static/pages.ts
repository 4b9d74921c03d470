import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { endpoints } from '../../../rest/endpoints.ts'
import type { Enumerations } from '../../../rest/request/shapes.ts'
import { lazy } from '../../lazy.ts'
import { contentPolicy, fixedPage, type Page } from './page.ts'

const types = { css: 'text/css', html: 'text/html', js: 'text/javascript' }
const json = 'application/json; charset=utf-8'

/**
 * What people and tools get without a token: path to page. Files are read when they are first asked for, and kept.
 * `readiness` says `ok`, or what is missing, and how the database keeps its tables.
 */
export function createPages(
  enumerations: () => Enumerations,
  version: string,
  graphiql: ReturnType<typeof createGraphiql>,
  readiness: () => Promise<State>,
) {
  const own = (name: string) => file(new URL(name, import.meta.url))
  const vendor = (name: string) =>
    file(pathToFileURL(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`)))
  const openApi = lazy(async () => {
    const { openApiText } = await import('../../../rest/openapi/document.ts')
    return openApiText(endpoints, enumerations, version)
  })
  const parts = new Map([
    ['/docs/page.css', lazy(() => own('docs.css'))],
    ['/docs/page.js', lazy(() => own('docs.js'))],
    ['/docs/swagger-ui.css', lazy(() => vendor('swagger-ui.css'))],
    ['/docs/swagger-ui.js', lazy(() => vendor('swagger-ui-bundle.js'))],
  ])
  const docs = lazy(() => {
    const page = own('docs.html')
    const text = String(page.body).replaceAll(
      /"(\/docs\/[^"]+)"/g,
      (_, path) => `"${path}?v=${parts.get(path)?.().version}"`,
    )
    return fixedPage(page.type, text, page.headers)
  })
  return new Map<string, () => Page | Promise<Page>>([
    ['/', lazy(() => ({ ...own('welcome.html'), isForBrowsers: true }))],
    ['/docs', docs],
    ...parts,
    ['/graphql/graphiql.js', async () => (await graphiql()).js],
    ['/graphql/graphiql.css', async () => (await graphiql()).css],
    ['/v1/openapi.json', async () => ({ type: json, body: (await openApi())() })],
    ['/health', () => probe({ status: 'ok', version })],
    ['/ready', async () => probe(await readiness())],
  ])
}

/** GraphiQL with the operations of REST as examples, made when it is first asked for. */
export function createGraphiql(enumerations: () => Enumerations) {
  return lazy(async () => {
    const [{ graphiqlPages }, { graphqlTwins }] = await Promise.all([
      import('./graphiql.ts'),
      import('../../../rest/openapi/operation.ts'),
    ])
    return graphiqlPages(graphqlTwins(endpoints, enumerations()))
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
  return fixedPage(`${types[ending]}; charset=utf-8`, readFileSync(url), headers)
}

interface State {
  status: string
  version?: string
  database?: string | undefined
}

function probe(state: State): Page {
  const headers = { 'Cache-Control': 'no-store' }
  const page = { type: json, body: JSON.stringify(state) }
  if (state.status === 'ok') return { ...page, headers }
  return { ...page, status: 503, headers: { ...headers, 'Retry-After': '1' } }
}
