import { readFileSync } from 'node:fs'
import { endpoints } from '../../../rest/endpoints.ts'
import type { Enumerations } from '../../../rest/request/shapes.ts'
import { lazy } from '../../lazy.ts'
import { contentPolicy, fixedPage, type Page } from './page.ts'

const types = { css: 'text/css', html: 'text/html', js: 'text/javascript' }
const json = 'application/json; charset=utf-8'

/**
 * The pages that need no token, by path. Files are read once, on the first request. `readiness` returns `ok` or what is
 * missing, and the kind of the database.
 */
export function createPages(
  enumerations: () => Enumerations,
  version: string,
  graphiql: ReturnType<typeof createGraphiql>,
  readiness: () => Promise<State>,
) {
  const openApi = lazy(async () => {
    const { openApiText } = await import('../../../rest/openapi/document.ts')
    return openApiText(endpoints, enumerations, version)
  })
  const parts = new Map<string, () => Page | Promise<Page>>([
    ...['docs.css', 'docs.js', 'token.js', 'welcome.js'].map(
      (name) => [`/static/${name}`, lazy(() => readStaticFile(name))] as const,
    ),
    ['/static/scalar.js', lazy(async () => (await import('./reference.ts')).scalarScript(ownHeaders))],
  ])
  return new Map<string, () => Page | Promise<Page>>([
    ['/', lazy(async () => ({ ...(await withParts(readStaticFile('welcome.html'), parts)), isForBrowsers: true }))],
    ['/docs', lazy(() => withParts(readStaticFile('docs.html'), parts))],
    ...parts,
    ['/graphql/graphiql.js', async () => (await graphiql()).js],
    ['/graphql/graphiql.css', async () => (await graphiql()).css],
    ['/v1/openapi.json', async () => ({ type: json, body: (await openApi())() })],
    ['/health', () => probe({ status: 'ok', version })],
    ['/ready', async () => probe(await readiness())],
  ])
}

/** GraphiQL with the operations of REST as examples, made on the first request. */
export function createGraphiql(enumerations: () => Enumerations) {
  return lazy(async () => {
    const [{ graphiqlPages }, { graphqlExamples }] = await Promise.all([
      import('./graphiql.ts'),
      import('../../../rest/openapi/operation.ts'),
    ])
    return graphiqlPages(graphqlExamples(endpoints, enumerations()))
  })
}

/** The policy of a page that loads only files of this gateway. */
const ownHeaders = {
  'Content-Security-Policy': contentPolicy([
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
  ]),
}

function readStaticFile(name: string): Page {
  const ending = name.split('.').at(-1) as keyof typeof types
  return fixedPage(`${types[ending]}; charset=utf-8`, readFileSync(new URL(name, import.meta.url)), ownHeaders)
}

/** The page with the dialog for tokens and with the versions of its files. */
async function withParts(page: Page, parts: ReadonlyMap<string, () => Page | Promise<Page>>): Promise<Page> {
  let text = String(page.body).replace(
    '<template id="token-dialog-here"></template>',
    String(readStaticFile('token-dialog.html').body),
  )
  for (const [path, part] of parts) {
    if (text.includes(`"${path}"`)) text = text.replace(`"${path}"`, `"${path}?v=${(await part()).version}"`)
  }
  return fixedPage(page.type, text, page.headers)
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
