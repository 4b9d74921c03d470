import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { renderGraphiQL } from '@graphql-yoga/render-graphiql'
import type { Twin } from '../../../rest/openapi/operation.ts'
import { contentPolicy, type Page } from './page.ts'

/** GraphiQL as one page without other files. It asks for a token once, keeps it in the browser and always sends it. */
export function graphiqlPage(operations: readonly Twin[]): Page {
  const tabs = [...dashboards(), ...operations].map(({ name, document, variables }) => ({
    name,
    query: document,
    // GraphiQL would open a tab of its own for a query whose variables differ from the kept ones, which are none.
    variables: Object.keys(variables).length > 0 ? JSON.stringify(variables, null, 2) : undefined,
  }))
  const rendered = renderGraphiQL({
    title: 'Catalogue gateway: GraphiQL',
    defaultTabs: tabs.slice(0, 1).map(({ query }) => ({ query })),
    shouldPersistHeaders: false,
  })
  const viewport = '<meta name="viewport" content="width=device-width, initial-scale=1" />'
  const opening = `<script type="application/json" id="operations">${inScript(tabs)}</script><script>${own('open-operation.js')}</script>`
  const body = rendered
    .replace('<meta charset="utf-8" />', (charset) => charset + viewport)
    .replace('<div id="root"></div>', (root) => root + own('token-dialog.html') + opening)
  return { type: 'text/html; charset=utf-8', body, headers: { 'Content-Security-Policy': policyOf(body) } }
}

/** The scripts of this page and no other; its workers are blobs that it makes itself. */
function policyOf(body: string): string {
  const scripts = [...body.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, script = '']) => {
    return `'sha256-${hash('sha256', script.replaceAll('\r\n', '\n'), 'base64')}'`
  })
  return contentPolicy([
    `script-src ${scripts.join(' ')} blob:`,
    'worker-src blob:',
    "style-src 'unsafe-inline'",
    'img-src data:',
    'font-src data:',
    "connect-src 'self'",
  ])
}

/** Queries of dashboards, which the documentation has as well. */
function dashboards(): Twin[] {
  return ['stores', 'catalogue', 'assets'].map((file) => ({
    name: file.charAt(0).toUpperCase() + file.slice(1),
    document: example(`${file}.graphql`),
    variables: file === 'stores' ? {} : JSON.parse(example(`${file}.json`)),
  }))
}

function example(name: string): string {
  return readFileSync(new URL(`../../../docs/examples/${name}`, import.meta.url), 'utf8')
}

function own(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8')
}

/** JSON that can be part of a page: nothing in it ends the script. */
function inScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}
