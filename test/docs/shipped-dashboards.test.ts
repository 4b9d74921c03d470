import { readFile } from 'node:fs/promises'
import jsonata from 'jsonata'
import { pino } from 'pino'
import { beforeAll, describe, expect, it } from 'vitest'
import infinity from '../../deploy/grafana/catalogue-content.json' with { type: 'json' }
import wild from '../../deploy/grafana/catalogue-content-wild.json' with { type: 'json' }
import { fallbackEnumerations } from '../../src/catalogue/enumerations.ts'
import { loadDemo } from '../../src/demo/demo.ts'
import { noCounts } from '../../src/import/position.ts'
import { addChange } from '../catalogue/changes/ledger-rows.ts'
import { setRequirements, settled } from '../catalogue/readiness/support.ts'
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
    await setRequirements(gateway, store, 'SMP', [{ code: 'brand', kind: 'ATTRIBUTE', attribute: 'Brand' }])
    await settled(gateway, store, 'SMP')
  }
})

interface Target {
  query: string
  /** JSON with variables of Grafana. */
  variables: string
  rowsOf(data: unknown, interpolate: (text: string) => string): Promise<Record<string, unknown>[]>
}

type InfinityTarget = (typeof infinity.panels)[number]['targets'][number]
type WildTarget = (typeof wild.panels)[number]['targets'][number]

/** The plugin evaluates the selector by JSONata and shows its columns. */
const ofInfinity = ({ url_options, root_selector, columns }: Omit<InfinityTarget, 'refId'>): Target => ({
  query: url_options.body_graphql_query,
  variables: url_options.body_graphql_variables,
  rowsOf: async (data, interpolate) => {
    const rows: Record<string, unknown>[] = await jsonata(`[${interpolate(root_selector)}]`).evaluate({ data })
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
  },
})

/** The plugin shows the objects at a path; it adds the variables `from` and `to`. */
const ofWild = ({ queryText, variablesWithFullInterpolation, parsingOptions }: Omit<WildTarget, 'refId'>): Target => ({
  query: queryText,
  variables: `{"from": \${__from}, "to": \${__to}, ${variablesWithFullInterpolation.slice(1)}`,
  rowsOf: async (data) =>
    parsingOptions.flatMap(({ dataPath, ...option }) => {
      const rows = (data as Record<string, Record<string, unknown>[]>)[dataPath] ?? []
      for (const row of rows) {
        for (const { timePath } of 'timeFields' in option ? option.timeFields : []) {
          const time = row[timePath]
          expect(typeof time === 'number' || !Number.isNaN(Date.parse(String(time)))).toBe(true)
        }
      }
      return rows
    }),
})

const dashboards = [
  {
    name: 'Infinity',
    panels: infinity.panels.map((panel) => ({ ...panel, targets: panel.targets.map(ofInfinity) })),
    variables: infinity.templating.list.flatMap(({ name, query }) =>
      typeof query === 'string' ? [] : [{ name, target: ofInfinity(query.infinityQuery) }],
    ),
  },
  {
    name: 'Wild GraphQL',
    panels: wild.panels.map((panel) => ({ ...panel, targets: panel.targets.map(ofWild) })),
    variables: wild.templating.list.flatMap(({ name, query }) =>
      typeof query === 'string'
        ? []
        : [
            {
              name,
              target: ofWild({ ...query, variablesWithFullInterpolation: '{"refId": "variable"}' } as WildTarget),
            },
          ],
    ),
  },
]

/** What the plugin shows of a target. */
async function rowsOf(target: Target, storeValue: string) {
  const now = Date.now()
  const values: Record<string, string> = {
    'store:json': storeValue,
    'channel:json': '"SMP"',
    'attribute:json': '"Brand"',
    __from: String(now - 86_400_000),
    __to: String(now),
  }
  const interpolate = (text: string) => text.replaceAll(/\$\{([^}]+)\}/g, (found, name) => values[name] ?? found)
  const data = await gateway.data(target.query, JSON.parse(interpolate(target.variables)))
  return target.rowsOf(data, interpolate)
}

describe.each(dashboards)('the Grafana dashboard of the content for $name', ({ panels, variables }) => {
  const isOverTime = ({ type }: { type: string }) => type === 'timeseries'

  it.each(panels.filter((panel) => !isOverTime(panel)))(
    'fills "$title" for all, one and several stores',
    async ({ targets }) => {
      for (const target of targets) {
        for (const some of [stores, stores.slice(0, 2), stores.slice(0, 1)]) {
          const rows = await rowsOf(target, some === stores ? 'null' : JSON.stringify(some))
          expect(new Set(rows.map(({ storeName }) => storeName)).size).toBe(some.length)
        }
      }
    },
  )

  it.each(panels.filter(isOverTime))('draws a line of "$title" for each store', async ({ targets }) => {
    for (const target of targets) {
      for (const some of [stores, stores.slice(0, 2), stores.slice(0, 1)]) {
        const rows = await rowsOf(target, some === stores ? 'null' : JSON.stringify(some))
        const lines = [...Map.groupBy(rows, ({ label }) => label).values()]
        const names = new Set(lines.map(([first]) => String(first?.label).split('/')[0]))
        expect(names.size).toBe(some.length)
        for (const line of lines) {
          const times = line.map(({ time }) => Number(time))
          expect(times).toEqual(times.toSorted((a, b) => a - b))
          expect(line.some(({ value }) => Number(value) > 0)).toBe(true)
        }
      }
    }
  })

  it('fills its variables', async () => {
    const values = async (target: Target) => (await rowsOf(target, 'null')).map(({ value }) => value).sort()
    const [ofStores, ...others] = variables
    if (!ofStores) throw new Error('the dashboard has a variable for stores')
    expect(await values(ofStores.target)).toEqual([...stores].sort())
    for (const { target } of others) expect(await values(target)).toContain('SMP')
  })
})

it('each question of Metabase has an answer', async () => {
  const text = await readFile(new URL('../../deploy/metabase/questions.sql', import.meta.url), 'utf8')
  await using client = await gateway.database.client()
  await client.query(`insert into report_user select current_user, store_uuid from store`)
  await client.query('set search_path = report')
  const questions = text.split(/;\n/).filter((part) => /^select/m.test(part))
  expect(questions).toHaveLength(5)
  for (const question of questions) expect((await client.query(question)).rows.length, question).toBeGreaterThan(0)
})
