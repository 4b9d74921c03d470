import { setTimeout as sleep } from 'node:timers/promises'
import { CompiledQuery, type Kysely } from 'kysely'
import { request } from 'undici'
import type { Database } from '../src/database/tables.ts'
import { inTurn, put } from './bulk.ts'
import { addProducts, stores } from './data.ts'
import { startPostGraphile } from './postgraphile.ts'
import { type Question, questions } from './questions.ts'
import { type Server, token } from './servers.ts'
import { figure, median, table } from './table.ts'

/** How often a question is asked, and for how long at most. */
const mostTimes = 200
const longestMs = 10_000

type Way = (question: Question, i: number) => Promise<unknown>

/**
 * What dashboards ask of a store of so many products, one question at a time: by GraphQL; by hand, as a statement with
 * the settings of the gateway's connections, without HTTP; and of PostGraphile, if `POSTGRAPHILE` names a folder where
 * it is installed with its plugin for filters. Then what a PUT pays for the attributes that are declared.
 * `BENCH_DATA_DIR` keeps the products.
 */
export async function dashboards(
  { db, url }: { db: Kysely<Database>; url: string },
  gateway: Server,
  products: number,
  rounds: number,
): Promise<string> {
  const count = await addProducts(db, stores.dashboards, products)
  await declare(gateway)
  const folder = process.env.POSTGRAPHILE
  const postGraphile = folder ? await startPostGraphile(folder, url) : undefined
  const byHand: Way = ({ byHand: text, value }, i) =>
    db.executeQuery(CompiledQuery.raw(text, [stores.dashboards, ...(text.includes('$2') ? [value(i)] : [])]))
  const ways: Record<string, Way> = {
    GraphQL: ({ document, value }, i) => ask(gateway, document, value(i)),
    'by hand': byHand,
    ...(postGraphile && {
      PostGraphile: async ({ postGraphile: document, value }, i) => document && ask(postGraphile, document, value(i)),
    }),
  }
  const rows: string[][] = []
  // What was changed last is found by the ledger.
  await put(gateway, stores.dashboards, 1_000)(0)
  try {
    for (const question of questions) {
      const cells: string[] = []
      for (const way of Object.values(ways)) cells.push(...(await timesOf((i) => way(question, i))))
      rows.push([question.title, figure(question.target), ...cells])
    }
  } finally {
    await postGraphile?.stop()
  }
  const ofPut = await inTurn(
    'PUT of 1,000 products',
    {
      'nothing declared': put(gateway, stores.big, 1_000),
      '8 attributes declared, 2 of them changed': put(gateway, stores.dashboards, 1_000),
    },
    gateway,
    rounds,
  )
  const heads = Object.keys(ways).flatMap((name) => [`${name} p50 ms`, 'p99'])
  const asked = table([`${count.toLocaleString('en')} products`, 'target', ...heads], rows)
  return `${asked}\n\n${table(['bulk writes', 'ms', 'speed', ''], ofPut)}`
}

const numbers = ['Price', 'Size', 'Stock']
const texts = ['Barcode', 'Brand', 'Category', 'Color', 'Name']
const definitions = [...numbers, ...texts].map((name) => {
  return `{ name: "${name}", type: ${numbers.includes(name) ? 'NUMBER' : 'TEXT'}, filterable: true }`
})

/** Declares as many attributes as a store may have, and waits until they are indexed. */
async function declare(gateway: Server): Promise<void> {
  const define = (given: string) =>
    ask(
      gateway,
      `mutation { defineAttributes(storeUuid: "${stores.dashboards}", definitions: [${given}]) { indexed } }`,
      '',
    ) as Promise<{ defineAttributes: { indexed: boolean }[] }>
  let defined = await define(definitions.join())
  while (!defined.defineAttributes.every(({ indexed }) => indexed)) {
    await sleep(1_000)
    defined = await define('')
  }
}

/** p50 and p99; empty for a question that cannot be asked so. */
async function timesOf(work: (i: number) => Promise<unknown>): Promise<string[]> {
  const times: number[] = []
  let began = 0
  for (let i = -3; i < mostTimes && (i <= 0 || performance.now() - began < longestMs); i++) {
    const start = performance.now()
    if (i === 0) began = start
    try {
      if ((await work(i + 3)) === undefined) return ['', '']
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      return ['refused', '']
    }
    if (i >= 0) times.push(performance.now() - start)
  }
  const sorted = times.toSorted((a, b) => a - b)
  return [figure(median(times)), figure(sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN)]
}

class Refused extends Error {}

async function ask({ url }: Server, query: string, value: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json' }
  const body = JSON.stringify({ query, variables: query.includes('$value') ? { value } : {} })
  const answer = await request(`${url}/graphql`, { method: 'POST', headers, body })
  const { data, errors } = (await answer.body.json()) as { data: unknown; errors?: { message: string }[] }
  if (errors?.some(({ message }) => message.includes('must be left out for a store'))) throw new Refused()
  if (errors) throw new Error(`${query}: ${JSON.stringify(errors).slice(0, 500)}`)
  return data
}
