import { readFile } from 'node:fs/promises'
import jsonata from 'jsonata'
import { pino } from 'pino'
import { beforeAll, describe, expect, it } from 'vitest'
import dashboard from '../../deploy/grafana/catalogue-content.json' with { type: 'json' }
import { fallbackEnumerations } from '../../src/catalogue/enumerations.ts'
import { loadDemo } from '../../src/demo/demo.ts'
import { noCounts } from '../../src/import/report/counts.ts'
import { addChange } from '../catalogue/changes/ledger-rows.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()
let stores: string[]
beforeAll(async () => {
  const { catalogue, db } = gateway.database
  await loadDemo(catalogue, fallbackEnumerations, pino({ level: 'silent' }))
  stores = (await db.selectFrom('store').select('store_uuid').execute()).map((row) => row.store_uuid)
  for (const [i, store] of stores.entries()) {
    await addChange(db, { store })
    const problems = JSON.stringify([{ row: 2, line: 3, productCode: 'A', field: 'status', reason: 'bad' }])
    const json = { options: '{}', counts: JSON.stringify({ ...noCounts, failed: 1 }), problems }
    const job_id = `01a1fdce-0000-7000-8000-00000000000${i}`
    const job = { store_uuid: store, job_id, kind: 'import' as const, state: 'succeeded' as const, ...json }
    await db.insertInto('job').values(job).execute()
  }
})

type Target = (typeof dashboard.panels)[number]['targets'][number]

/** What the plugin shows of a target: the rows at its selector, which it evaluates by JSONata, with its columns. */
async function rowsOf({ url_options, root_selector, columns }: Omit<Target, 'refId'>, storeValue: string) {
  const now = Date.now()
  const text = url_options.body_graphql_variables
    .replaceAll(/\$\{store:json\}/g, storeValue)
    .replaceAll(/\$\{__from\}/g, String(now - 86_400_000))
    .replaceAll(/\$\{__to\}/g, String(now))
  const variables = JSON.parse(text)
  const data = await gateway.data(url_options.body_graphql_query, variables)
  const rows: Record<string, unknown>[] = await jsonata(`[${root_selector}]`).evaluate({ data })
  for (const row of rows) {
    for (const { selector, type } of columns) {
      expect(Object.keys(row)).toContain(selector)
      const value = row[selector]
      if (value === null) continue
      if (type === 'timestamp') expect(Number.isNaN(Date.parse(String(value)))).toBe(false)
      else expect(typeof value).toBe(type === 'timestamp_epoch' ? 'number' : type)
    }
  }
  return rows
}

describe('the Grafana dashboard of the content', () => {
  const isOverTime = ({ type }: { type: string }) => type === 'timeseries'

  it.each(dashboard.panels.filter((panel) => !isOverTime(panel)))(
    'fills "$title" for all, one and several stores',
    async ({ targets }) => {
      for (const target of targets) {
        const all = await rowsOf(target, 'null')
        expect(new Set(all.map(({ storeName }) => storeName)).size).toBe(stores.length)
        const several = await rowsOf(target, JSON.stringify(stores.slice(0, 2)))
        expect(new Set(several.map(({ storeName }) => storeName)).size).toBe(2)
        expect(
          new Set((await rowsOf(target, JSON.stringify(stores.slice(0, 1)))).map((row) => row.storeName)).size,
        ).toBe(1)
      }
    },
  )

  it.each(dashboard.panels.filter(isOverTime))('draws a line of "$title" for each store', async ({ targets }) => {
    for (const target of targets) {
      for (const some of [stores, stores.slice(0, 2), stores.slice(0, 1)]) {
        const rows = await rowsOf(target, some === stores ? 'null' : JSON.stringify(some))
        const lines = [...Map.groupBy(rows, ({ label }) => label).values()]
        const names = new Set(lines.map(([first]) => String(first?.label).split('/')[0]))
        expect(names.size).toBe(some.length)
        expect(lines.length).toBeGreaterThanOrEqual(some.length)
        for (const line of lines) {
          const times = line.map(({ time }) => Number(time))
          expect(times).toEqual(times.toSorted((a, b) => a - b))
          expect(line.some(({ value }) => Number(value) > 0)).toBe(true)
        }
      }
    }
  })

  it('fills its variable', async () => {
    const queries = dashboard.templating.list.flatMap(({ query }) => (typeof query === 'string' ? [] : [query]))
    expect(queries).toHaveLength(1)
    const query = queries[0]?.infinityQuery as Target
    expect((await rowsOf(query, 'null')).map(({ value }) => value).sort()).toEqual([...stores].sort())
  })
})

it('each question of Metabase has an answer', async () => {
  const text = await readFile(new URL('../../deploy/metabase/questions.sql', import.meta.url), 'utf8')
  const client = await gateway.database.client()
  try {
    await client.query(`insert into report_user select current_user, store_uuid from store`)
    await client.query('set search_path = report')
    const questions = text.split(/;\n/).filter((part) => /^select/m.test(part))
    expect(questions).toHaveLength(5)
    for (const question of questions) expect((await client.query(question)).rows.length, question).toBeGreaterThan(0)
  } finally {
    await client.end()
  }
})
