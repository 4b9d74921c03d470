import { readFileSync } from 'node:fs'
import { renderGraphiQL } from '@graphql-yoga/render-graphiql'

const examples = new URL('../../docs/examples/', import.meta.url)

/** The operations that GraphiQL opens with: one tab each. */
const tabs = ['stores', 'catalogue', 'assets', 'create-store', 'update-products']

let rendered: string | undefined

/** GraphiQL as one page that loads nothing else. It asks for a token once, keeps it in the browser, and sends it with every request. */
export function graphiqlPage(): string {
  rendered ??= renderGraphiQL({
    title: 'Catalogue gateway: GraphiQL',
    defaultTabs: tabs.map((name) => ({
      query: readExample(`${name}.graphql`),
      variables: readExample(`${name}.json`),
    })),
    shouldPersistHeaders: false,
  }).replace('<div id="root"></div>', () => `<div id="root"></div>${tokenDialog}`)
  return rendered
}

function readExample(name: string): string {
  return readFileSync(new URL(name, examples), 'utf8')
}

const tokenDialog = readFileSync(new URL('./token-dialog.html', import.meta.url), 'utf8')
