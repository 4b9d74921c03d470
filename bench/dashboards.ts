import { CompiledQuery, type Kysely } from 'kysely'
import { request } from 'undici'
import type { Database } from '../src/database/tables.ts'
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
 * it is installed with its plugin for filters. `BENCH_DATA_DIR` keeps the products.
 */
export async function dashboards(
  { db, url }: { db: Kysely<Database>; url: string },
  gateway: Server,
  products: number,
): Promise<string> {
  const count = await addProducts(db, stores.dashboards, products)
  // Here the attributes of the last questions are to be declared.
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
  try {
    for (const question of questions) {
      const cells: string[] = []
      for (const way of Object.values(ways)) cells.push(...(await timesOf((i) => way(question, i))))
      rows.push([question.title, figure(question.target), ...cells])
    }
  } finally {
    await postGraphile?.stop()
  }
  const heads = Object.keys(ways).flatMap((name) => [`${name} p50 ms`, 'p99'])
  return table([`${count.toLocaleString('en')} products`, 'target', ...heads], rows)
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
