import { setTimeout as sleep } from 'node:timers/promises'
import { CompiledQuery, type Kysely, sql } from 'kysely'
import { request } from 'undici'
import type { Database } from '../src/database/tables.ts'
import { inTurn, put } from './bulk.ts'
import { addProducts, stores } from './data.ts'
import { startPostGraphile } from './postgraphile.ts'
import { type Question, questions } from './questions.ts'
import { randomPages } from './random-pages.ts'
import { type Server, token } from './servers.ts'
import { figure, median, table } from './table.ts'

/** How often a question is asked, and for how long at most. */
const maxTimes = 200
const maxMs = 10_000

type Way = (question: Question, i: number) => Promise<unknown>

/**
 * Compares PUT to a store of so many products, which declares 8 attributes, with PUT to one of as long products that
 * declares none. Then asks this store, whose ledger has changes now, the questions of dashboards, one at a time: by
 * GraphQL; by SQL over the gateway's kind of connection, without HTTP; and through PostGraphile, if `POSTGRAPHILE`
 * names a folder where it is installed with its filter plugin. `BENCH_DATA_DIR` keeps the products.
 */
export async function dashboards(
  { db, url }: { db: Kysely<Database>; url: string },
  gateway: Server,
  products: number,
  rounds: number,
): Promise<string> {
  const count = await addProducts(db, stores.dashboards, products)
  await declare(gateway)
  // Neither is a page written for the first time after a checkpoint, nor does PostgreSQL tidy up meanwhile.
  await sql`vacuum analyze`.execute(db)
  await sql`checkpoint`.execute(db)
  const puts = {
    'nothing declared': put(gateway, stores.big, 1_000),
    '8 attributes declared, none of them changed': put(gateway, stores.dashboards, 1_000, ['Material', 'Season']),
    '8 attributes declared, 2 of them changed': put(gateway, stores.dashboards, 1_000),
  }
  const speeds = table(['', 'ms', 'speed'], await inTurn('PUT of 1,000 products', puts, rounds * 2))
  const asked = await answersToQuestions({ db, url }, gateway, count)
  return [asked, await pagesUnderRandomConditions(gateway), speeds].join('\n\n')
}

/** PostGraphile stops before other measurements. */
async function answersToQuestions(
  { db, url }: { db: Kysely<Database>; url: string },
  gateway: Server,
  count: number,
): Promise<string> {
  const folder = process.env.POSTGRAPHILE
  await using postGraphile = folder ? await startPostGraphile(folder, url) : undefined
  const byHand: Way = ({ byHand: text, value }, i) =>
    db.executeQuery(CompiledQuery.raw(text, [stores.dashboards, ...(text.includes('$2') ? [value(i)] : [])]))
  const ways: Record<string, Way> = {
    GraphQL: ({ document, value }, i) => ask(gateway, document, variablesOf(document, value(i))),
    'by hand': byHand,
    ...(postGraphile && {
      PostGraphile: async ({ postGraphile: document, value }, i) =>
        document && ask(postGraphile, document, variablesOf(document, value(i))),
    }),
  }
  const rows: string[][] = []
  for (const question of questions) {
    const cells: string[] = []
    for (const way of Object.values(ways)) cells.push(...(await timesOf((i) => way(question, i))))
    rows.push([question.title, figure(question.target), ...cells])
  }
  const heads = Object.keys(ways).flatMap((name) => [`${name} p50 ms`, 'p99'])
  return table([`${count.toLocaleString('en')} products`, 'target', ...heads], rows)
}

/** By the owner's token, and by one that is limited to the store. */
async function pagesUnderRandomConditions(gateway: Server): Promise<string> {
  const pages = randomPages(1_200)
  const limited = (await ask(
    gateway,
    `mutation { createToken(input: { name: "limited", scopes: [READ], stores: ["${stores.dashboards}"] }) { secret } }`,
  )) as { createToken: { secret: string } }
  const rows: string[][] = []
  for (const [who, secret] of Object.entries({ 'any store': token, 'one store': limited.createToken.secret })) {
    const times: { kind: string; ms: number }[] = []
    for (const { kind, ...variables } of pages) {
      const start = performance.now()
      await ask(gateway, randomPage, variables, secret)
      times.push({ kind, ms: performance.now() - start })
    }
    for (const [kind, ofKind = []] of Object.entries(Object.groupBy(times, ({ kind }) => kind))) {
      const sorted = ofKind.map(({ ms }) => ms).toSorted((a, b) => a - b)
      const at = (share: number) => figure(sorted[Math.floor(sorted.length * share)] ?? Number.NaN)
      rows.push([`${sorted.length}, ${kind}, token of ${who}`, at(0.5), at(0.9), at(0.99), figure(sorted.at(-1) ?? 0)])
    }
  }
  return table(['pages of 50 under random conditions', 'p50 ms', 'p90', 'p99', 'max'], rows)
}

const randomPage = `query ($filter: ProductFilter, $order: ProductOrder) { store(storeUuid: "${stores.dashboards}") {
  products(first: 50, filter: $filter, orderBy: $order) { nodes { productCode status attributes updatedAt } } } }`

const numbers = ['Price', 'Size', 'Stock']
const texts = ['Barcode', 'Brand', 'Category', 'Color', 'Name']
const definitions = [...numbers, ...texts].map((name) => {
  return `{ name: "${name}", type: ${numbers.includes(name) ? 'NUMBER' : 'TEXT'}, filterable: true }`
})

/** Declares as many filterable attributes as a store may have, and waits until the index is up to date. */
async function declare(gateway: Server): Promise<void> {
  const define = (given: string) =>
    ask(
      gateway,
      `mutation { defineAttributes(storeUuid: "${stores.dashboards}", definitions: [${given}]) { indexed } }`,
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
  for (let i = -3; i < maxTimes && (i <= 0 || performance.now() - began < maxMs); i++) {
    const start = performance.now()
    if (i === 0) began = start
    if ((await work(i + 3)) === undefined) return ['', '']
    if (i >= 0) times.push(performance.now() - start)
  }
  const sorted = times.toSorted((a, b) => a - b)
  return [figure(median(times)), figure(sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN)]
}

function variablesOf(document: string, value: string): object {
  return document.includes('$value') ? { value } : {}
}

async function ask({ url }: Server, query: string, variables: object = {}, secret = token): Promise<unknown> {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json', accept: 'application/json' }
  const body = JSON.stringify({ query, variables })
  const answer = await request(`${url}/graphql`, { method: 'POST', headers, body })
  const { data, errors } = (await answer.body.json()) as { data: unknown; errors?: { message: string }[] }
  if (errors) throw new Error(`${query}: ${JSON.stringify(errors).slice(0, 500)}`)
  return data
}
