import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { renderGraphiQL } from '@graphql-yoga/render-graphiql'
import type { GraphQLExample } from '../../../rest/openapi/operation.ts'
import { contentPolicy, fixedPage, type Page } from './page.ts'

const html = 'text/html; charset=utf-8'

/**
 * GraphiQL: its page, and the script and styles that browsers cache. It asks for a token once, stores it in the browser
 * and sends it with each request. `open-operation.js` starts it.
 */
export function graphiqlPages(operations: readonly GraphQLExample[]): { page: Page; js: Page; css: Page } {
  const tabs = [...dashboards(), ...operations].map(({ name, document, variables }) => ({
    name,
    query: document,
    // GraphiQL opens a second tab for a query whose variables differ from the stored ones: none are stored.
    variables: Object.keys(variables).length > 0 ? JSON.stringify(asDryRun(variables), null, 2) : undefined,
  }))
  const rendered = renderGraphiQL({
    title: 'Catalogue gateway: GraphiQL',
    defaultTabs: tabs.slice(0, 1).map(({ query }) => ({ query })),
    shouldPersistHeaders: false,
  })
  const [script = '', styles = ''] = [partOf(rendered, 'script'), partOf(rendered, 'style')]
  const js = fixedPage('text/javascript; charset=utf-8', script.replace(scalarType, 'definition.title = baseType.name'))
  const css = fixedPage('text/css; charset=utf-8', styles + stillTabs)
  const viewport = '<meta name="viewport" content="width=device-width, initial-scale=1" />'
  const source = `/graphql/graphiql.js?v=${js.version}`
  const opening = `<script type="application/json" id="operations">${inScript(tabs)}</script><script id="opening" data-source="${source}">${readStaticFile('open-operation.js')}</script>`
  const ownParts = `${readStaticFile('token-dialog.html')}${readStaticFile('graphiql-links.html')}<script>${readStaticFile('token.js')}</script>`
  const body = rendered
    .replace(script, () => '')
    .replace('<script></script>', '')
    .replace(
      `<style>${styles}</style>`,
      () => `<link rel="stylesheet" href="/graphql/graphiql.css?v=${css.version}" />`,
    )
    .replace(/(?<=<link rel="icon" href=")[^"]*/, 'data:,')
    .replace('<meta charset="utf-8" />', (charset) => charset + viewport)
    .replace('<div id="root"></div>', (root) => root + ownParts + opening)
  return { page: fixedPage(html, body, { 'Content-Security-Policy': policyOf(body), Vary: 'Accept' }), js, css }
}

/** Without this, the first press moves a tab to its place before the layout, and the click is lost. */
const stillTabs = '.graphiql-tab{transform:none!important}'

/** The language service takes no object for an unknown scalar such as `AttributeMap`. */
const scalarType = /definition\.type = \[\\*"string\\*", \\*"number\\*", \\*"boolean\\*", \\*"integer\\*"\]/

/** The variables of an example, so that it changes nothing. */
function asDryRun(variables: object): object {
  return 'dryRun' in variables ? { ...variables, dryRun: true } : variables
}

/** The content of the longest element of a tag, which is GraphiQL's own. */
function partOf(page: string, tag: 'script' | 'style'): string {
  const parts = [...page.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g'))].map(([, part = '']) => part)
  return parts.toSorted((a, b) => b.length - a.length)[0] ?? ''
}

/** Allows the scripts of this page only, and its workers, which are blobs. */
function policyOf(body: string): string {
  const inline = [...body.matchAll(/<script(?! type)[^>]*>([\s\S]*?)<\/script>/g)].map(([, script = '']) => {
    return `'sha256-${hash('sha256', script.replaceAll('\r\n', '\n'), 'base64')}'`
  })
  return contentPolicy([
    `script-src 'self' ${inline.join(' ')} blob:`,
    'worker-src blob:',
    "style-src 'self' 'unsafe-inline'",
    'img-src data:',
    "font-src 'self' data:",
    "connect-src 'self'",
  ])
}

/** The queries of the guide to dashboards that need only some products. */
const dashboardQueries = ['Stores', 'MissingImages', 'TopBrands', 'NavyByPrice', 'RecentlyChanged']

function dashboards(): GraphQLExample[] {
  const guide = readFileSync(new URL('../../../docs/dashboards.md', import.meta.url), 'utf8')
  return dashboardQueries.map((name) => {
    const [query] = new RegExp(`(?<=^\`\`\`graphql\\n)query ${name} [^\`]*`, 'm').exec(guide) ?? []
    if (query === undefined) throw new Error(`docs/dashboards.md has no query ${name}`)
    return { name, document: `# Run it with the pink button.\n${query}`, variables: {} }
  })
}

function readStaticFile(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8')
}

/** JSON for a script of a page: nothing in it ends the script. */
function inScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}
