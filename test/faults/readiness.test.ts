import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { runCli } from '../support/clients/cli.ts'
import { ask } from '../support/clients/operations.ts'
import { useDatabase } from '../support/database/database.ts'
import { addProducts, newStore } from '../support/factories.ts'
import { Random } from '../support/random.ts'
import { useServe } from '../support/servers/serve.ts'
import { isLong, seed } from './support/scale.ts'

const kills = isLong ? 20 : 2
const products = 400
const database = useDatabase()
const start = useServe(database)

it(`counts exactly what is there after ${kills} kills of one of two gateways (seed ${seed})`, {
  timeout: 300_000,
}, async () => {
  const random = new Random(seed)
  const other = await start()
  let killed = await start()
  const storeUuid = await newStore(other)
  const put = async () => {
    const some = Array.from({ length: 40 }, () => ({
      productCode: `sku-${random.below(products)}`,
      attributes: { Title: ['', 'a', 'a title'][random.below(3)], GTIN: ['12', '12345678'][random.below(2)] },
    }))
    const unique = [...new Map(some.map((one) => [one.productCode, one])).values()]
    await addProducts(other, storeUuid, unique)
    const removed = Array.from({ length: 3 }, () => `sku-${random.below(products)}`)
    await ask(other, 'deleteProducts', { storeUuid, productCodes: removed })
  }
  const require = (minimum: number) => {
    const requirements = [
      { code: 'title', kind: 'ATTRIBUTE', attribute: 'Title', minimum },
      { code: 'gtin', kind: 'ATTRIBUTE', attribute: 'GTIN', pattern: '\\d{8}', severity: 'RECOMMENDED' },
    ]
    return ask(other, 'setChannelRequirements', { storeUuid, channel: 'SMP', requirements })
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
  const selection =
    '{ readiness(channel: "SMP") { total ready asOf isCounting requirements { missing } gaps { totalCount } } }'
  interface Counted {
    readiness: { asOf: string | null; isCounting: boolean }
  }
  const read = async () => (await ask<Counted>(other, 'store', { storeUuid }, selection)).readiness
  await expect.poll(async () => Date.parse((await read()).asOf ?? '') >= begun && !(await read()).isCounting).toBe(true)
  const checked = await runCli(['check', '--wait'], { DATABASE_URL: database.url })
  expect(checked).toMatchObject({ code: 0, stdout: 'no difference found\n' })
  const minimum = 1 + ((kills - 1) % 2)
  const { rows } = await sql<{ total: number; untitled: number; gtin: number; gaps: number }>`
    select count(*)::int as total, count(*) filter (where length(attributes ->> 'Title') < ${minimum}::int)::int as untitled,
      count(*) filter (where attributes ->> 'GTIN' !~ '^[0-9]{8}$')::int as gtin
    from product where store_uuid = ${storeUuid}`.execute(database.db)
  const [{ total, untitled, gtin } = { total: 0, untitled: 0, gtin: 0 }] = rows
  expect(await read()).toMatchObject({
    total,
    ready: total - untitled,
    requirements: [{ missing: untitled }, { missing: gtin }],
    gaps: { totalCount: untitled },
  })
})
