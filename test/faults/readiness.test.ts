import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { send } from '../support/clients/http.ts'
import { useDatabase } from '../support/database/database.ts'
import { storeBody } from '../support/factories.ts'
import { Random } from '../support/random.ts'
import { type Program, startProgram } from '../support/servers/program.ts'
import { isLong, seed } from './support/scale.ts'

const token = 'a-token-for-readiness'
const kills = isLong ? 20 : 2
const products = 400
const database = useDatabase()
const programs: Program[] = []
afterAll(() => Promise.all(programs.map((program) => program.end('SIGKILL'))))

const start = async () => {
  const program = await startProgram(['serve'], { DATABASE_URL: database.url, BOOTSTRAP_TOKEN: token })
  programs.push(program)
  return program
}

async function graphql<Result>({ url }: Program, query: string, variables: object): Promise<Result> {
  const { text } = await send(`${url}/graphql`, { method: 'POST', token, body: { query, variables } })
  const { data, errors } = JSON.parse(text) as { data: Result; errors?: unknown }
  if (errors) throw new Error(text)
  return data
}

it(`counts exactly what is there after ${kills} kills of one of two gateways (seed ${seed})`, {
  timeout: 300_000,
}, async () => {
  const random = new Random(seed)
  const other = await start()
  let killed = await start()
  const { text } = await send(`${other.url}/v1/stores`, { method: 'POST', token, body: storeBody() })
  const store = (JSON.parse(text) as { data: { store_uuid: string } }).data.store_uuid
  const put = async () => {
    const some = Array.from({ length: 40 }, () => ({
      productCode: `sku-${random.below(products)}`,
      attributes: { Title: ['', 'a', 'a title'][random.below(3)], GTIN: ['12', '12345678'][random.below(2)] },
    }))
    const unique = [...new Map(some.map((one) => [one.productCode, one])).values()]
    const remove = Array.from({ length: 3 }, () => `sku-${random.below(products)}`)
    const document = `mutation ($store: ID!, $products: [ProductPatch!]!, $remove: [String!]!) {
      upsertProducts(storeUuid: $store, products: $products) { createdSkus }
      deleteProducts(storeUuid: $store, productCodes: $remove) { deletedSkus } }`
    await graphql(other, document, { store, products: unique, remove })
  }
  const require = (minimum: number) => {
    const requirements = [
      { code: 'title', kind: 'ATTRIBUTE', attribute: 'Title', minimum },
      { code: 'gtin', kind: 'ATTRIBUTE', attribute: 'GTIN', pattern: '\\d{8}', severity: 'RECOMMENDED' },
    ]
    const document = `mutation ($store: ID!, $requirements: [ChannelRequirementInput!]!) {
      setChannelRequirements(storeUuid: $store, channel: "SMP", requirements: $requirements) { code } }`
    return graphql(other, document, { store, requirements })
  }
  for (let i = 0; i < 20; i++) await put()
  for (let kill = 0; kill < kills; kill++) {
    await require(1 + (kill % 2))
    const until = Date.now() + 1_500 + random.below(1_500)
    while (Date.now() < until) await put()
    await killed.end('SIGKILL')
    killed = await start()
  }
  const begun = Date.now()
  const document = `query ($store: ID!) { store(storeUuid: $store) {
    readiness(channel: "SMP") { total ready asOf isCounting requirements { missing } gaps { totalCount } } } }`
  const read = async () =>
    (await graphql<{ store: { readiness: { asOf: string | null; isCounting: boolean } } }>(other, document, { store }))
      .store.readiness
  await expect.poll(async () => Date.parse((await read()).asOf ?? '') >= begun && !(await read()).isCounting).toBe(true)
  const minimum = 1 + ((kills - 1) % 2)
  const { rows } = await sql<{ total: number; untitled: number; gtin: number; gaps: number }>`
    select count(*)::int as total, count(*) filter (where length(attributes ->> 'Title') < ${minimum}::int)::int as untitled,
      count(*) filter (where attributes ->> 'GTIN' !~ '^[0-9]{8}$')::int as gtin
    from product where store_uuid = ${store}`.execute(database.db)
  const [{ total, untitled, gtin } = { total: 0, untitled: 0, gtin: 0 }] = rows
  expect(await read()).toMatchObject({
    total,
    ready: total - untitled,
    requirements: [{ missing: untitled }, { missing: gtin }],
    gaps: { totalCount: untitled },
  })
})
