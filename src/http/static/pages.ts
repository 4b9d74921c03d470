import { readFileSync } from 'node:fs'
import { endpoints } from '../../../rest/endpoints.ts'
import type { Enumerations } from '../../../rest/request/shapes.ts'
import { lazy } from '../../lazy.ts'
import { isObject } from '../../text.ts'
import { packageFiles } from './package-files.ts'
import { contentPolicy, fixedPage, type Page } from './page.ts'

const types: Readonly<Record<string, string>> = { css: 'text/css', html: 'text/html', js: 'text/javascript' }
const json = 'application/json; charset=utf-8'

type MakePage = () => Page | Promise<Page>

/**
 * The pages that need no token, by path, and GraphiQL, which has the path of GraphQL. Files are read once, on the first
 * request. `state` returns `ok` or what is missing, and the kind of the database.
 */
export function createPages(enumerations: () => Enumerations, version: string, state: () => Promise<State>) {
  const openApi = lazy(async () => {
    const { openApiText } = await import('../../../rest/openapi/document.ts')
    return openApiText(endpoints, enumerations, version)
  })
  const own = ['bar.css', 'bar.js', 'docs.js', 'start-graphiql.js', 'welcome.js']
  const parts = new Map<string, MakePage>([
    ...own.map((name) => [`/static/${name}`, lazy(() => textPage(name, read(name)))] as const),
    ...Object.entries(packageFiles).map(
      ([name, load]) => [`/static/${name}`, lazy(async () => textPage(name, await load()))] as const,
    ),
    ['/static/examples.json', lazy(async () => fixedPage(json, await examples(enumerations()), ownHeaders))],
  ])
  const page = (name: string) => lazy(() => withParts(textPage(name, read(name)), parts))
  const [welcome, reference, graphiql] = [page('welcome.html'), page('docs.html'), page('graphiql.html')]
  const pages = new Map<string, MakePage>([
    ['/', async () => ({ ...(await welcome()), isForBrowsers: true })],
    ['/docs', reference],
    ...parts,
    ['/v1/openapi.json', async () => ({ type: json, body: (await openApi())() })],
    ['/health', () => probe({ status: 'ok', version })],
    ['/ready', async () => probe(await state())],
  ])
  return { pages, graphiql }
}

/** The policy of a page that loads only files of this gateway. */
const ownHeaders = {
  'Content-Security-Policy': contentPolicy([
    "script-src 'self'",
    "worker-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
  ]),
}

function read(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8')
}

function textPage(name: string, text: string): Page {
  return fixedPage(`${types[name.split('.').at(-1) ?? '']}; charset=utf-8`, text, ownHeaders)
}

/** The page with the bar and with the versions of its files. */
async function withParts(page: Page, parts: ReadonlyMap<string, MakePage>): Promise<Page> {
  let text = String(page.body).replace('<template id="bar-here"></template>', read('bar.html'))
  for (const [path, part] of parts) {
    if (text.includes(`"${path}"`)) text = text.replace(`"${path}"`, `"${path}?v=${(await part()).version}"`)
  }
  return fixedPage(page.type, text, { ...page.headers, Vary: 'Accept' })
}

/** What GraphiQL has prepared: the tabs of a first visit, the operations of REST, and what they name for example. */
async function examples(enumerations: Enumerations): Promise<string> {
  const { exampleNames, graphqlExamples } = await import('../../../rest/openapi/operation.ts')
  const first = read('first-visit.graphql')
    .trim()
    .split('\n\n')
    .map((text) => {
      const [query = '', variables] = text.split(/\n# (?=\{)/)
      return { name: /\w+ (\w+)/.exec(query)?.[1], query, variables: variables && pretty(JSON.parse(variables)) }
    })
  const others = graphqlExamples(endpoints, enumerations).map(({ label, name, document, variables }) => {
    return { label, name, query: document, variables: pretty(asDryRun(variables)) }
  })
  return JSON.stringify({ placeholders: exampleNames, first, others })
}

/** The variables for a dry run: it is one of them, or a field of an input. */
function asDryRun(variables: object): object {
  const entries = Object.entries(variables).map(([name, value]) => {
    return [name, name === 'dryRun' || (isObject(value) ? asDryRun(value) : value)]
  })
  return Object.fromEntries(entries)
}

function pretty(value: object): string {
  return JSON.stringify(value, null, 2)
}

interface State {
  status: string
  version?: string
  database?: string | undefined
  lost_servers?: string[] | undefined
}

function probe(state: State): Page {
  const headers = { 'Cache-Control': 'no-store' }
  const page = { type: json, body: JSON.stringify(state) }
  // Without room on its disk the database still answers reads, for all gateways alike.
  if (state.status !== 'unavailable') return { ...page, headers }
  return { ...page, status: 503, headers: { ...headers, 'Retry-After': '1' } }
}
