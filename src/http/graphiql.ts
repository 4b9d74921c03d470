import { readFileSync } from 'node:fs'
import { renderGraphiQL } from '@graphql-yoga/render-graphiql'

const examples = new URL('../../docs/examples/', import.meta.url)

let rendered: string | undefined

/** GraphiQL as one page that loads nothing else. It asks for a token once, keeps it in the browser, and sends it with every request. */
export function graphiqlPage(): string {
  rendered ??= render()
  return rendered
}

function render(): string {
  const first = example('stores.graphql')
  const others = ['catalogue', 'assets', 'create-store', 'update-products']
  const page = renderGraphiQL({
    title: 'Catalogue gateway: GraphiQL',
    defaultTabs: [
      { query: first },
      ...others.map((name) => ({ query: example(`${name}.graphql`), variables: example(`${name}.json`) })),
    ],
    shouldPersistHeaders: false,
  })
  const dialog = readFileSync(new URL('./token-dialog.html', import.meta.url), 'utf8')
  // Without a query of its own GraphiQL opens an empty tab beside the kept ones at each visit.
  const seed = `<script>localStorage['graphiql:query'] ??= ${JSON.stringify(first)}</script>`
  return page.replace('<div id="root"></div>', (root) => root + dialog + seed)
}

function example(name: string): string {
  return readFileSync(new URL(name, examples), 'utf8')
}
