import { Session } from 'node:inspector/promises'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { useCatalog } from './import/catalog.ts'
import { newStore } from './support/factories.ts'
import { useGateway } from './support/servers/gateway.ts'
import { root } from './support/sources.ts'

const gateway = useGateway()
const catalog = useCatalog()
const session = new Session()
let store: string
let file: string
beforeAll(async () => {
  store = await newStore(gateway)
  file = await catalog.file('products.csv', 'product_code,Brand,Image URL 1\nA,Acme,https://cdn.example/1.jpg\n')
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true })
})
afterAll(() => session.disconnect())

const query = `query ($store: ID!) { store(storeUuid: $store) {
  products(filter: { attributes: { name: "Brand", eq: "Acme" } }) { nodes { productCode } }
  facets(names: ["Brand"]) { values { value count } }
} }`

const requests: [name: string, most: number, request: (emptyStore: string) => Promise<unknown>][] = [
  ['GET /v1/assets', 9, () => gateway.call(`/v1/assets?store_uuid=${store}`)],
  [
    'PUT /v1/products',
    18,
    () =>
      gateway.call(`/v1/products?store_uuid=${store}`, { method: 'PUT', body: [{ product_code: 'A', Brand: 'Acme' }] }),
  ],
  ['a query with filter and facet', 18, () => gateway.data(query, { store })],
  ['an import', 31, (emptyStore) => catalog.answer([file, '--store', emptyStore])],
]

/** The files of which a function was called since the last time, without those that background work calls. */
async function calledFiles(): Promise<string[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const called = result.filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
  const files = called.map(({ url }) => url.slice(`${pathToFileURL(root)}`.length))
  return files
    .filter((name) => /^(src\/(catalogue(?!\/projections|\/changes\/oldest-writer)|import)|schema|rest)\//.test(name))
    .toSorted()
}

/** How many files one reads to follow a request. `PRINT_FILES=1` prints them. */
it.each(requests)('%s calls functions of at most %i files', async (name, most, request) => {
  for (let i = 0; i < 3; i++) await request(await catalog.newStore())
  const emptyStore = await catalog.newStore()
  await calledFiles()
  await request(emptyStore)
  const files = await calledFiles()
  if (process.env.PRINT_FILES) console.log(`${name}: ${files.length}\n${files.join('\n')}`)
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(most)
})
