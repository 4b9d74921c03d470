import { CompiledQuery, type Kysely, sql, type Transaction } from 'kysely'
import { request } from 'undici'
import { deleteAssets, unlinkAssets } from '../src/catalogue/assets/remove-assets.ts'
import { wholeCatalogue } from '../src/catalogue/catalogue.ts'
import { rolledBackIf } from '../src/catalogue/transaction.ts'
import type { Database } from '../src/database/tables.ts'
import { alternate } from './alternate.ts'
import { stores } from './data.ts'
import { type Link, mergeProducts, referenceDelete, referenceUnlink } from './reference-statements.ts'
import { type Server, token } from './servers.ts'
import { figure, median, table } from './table.ts'

const code = (i: number) => `SKU-${String(i).padStart(7, '0')}`
const upTo = <T>(n: number, item: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => item(i))
const items = (round: number, n: number, [first, second] = ['Color', 'Name']) =>
  upTo(n, (i) => ({ product_code: code(i * 17), [first]: `color ${round}`, [second]: `Name ${round} of ${i}` }))
const ids = upTo(1_000, (i) => `asset-${i * 401}`)
const links = upTo(1_000, (i) => ({ parent_code: code(i * 80), channel: 'SMP', asset_id: `asset-${i * 400}` }))

/** A bulk write; `round` makes its values different from those of other rounds. */
type Way = (round: number) => Promise<unknown>

/** A PUT that changes two attributes of each product. */
export const put =
  (server: Server, store: string, n: number, attributes?: [string, string]): Way =>
  (round) =>
    send(server, 'PUT', `products?store_uuid=${store}`, items(round, n, attributes))

/**
 * Bulk writes by REST, compared with the same effect by hand: one SQL statement, a `node:http` server around it, an
 * UPDATE per item in one transaction, the catalogue without HTTP and GraphQL. Deletes are rolled back.
 */
export async function bulk(db: Kysely<Database>, yardstick: Server, gateway: Server, rounds: number): Promise<string> {
  const undone = (work: Parameters<typeof rolledBackIf>[2]) => () => rolledBackIf(wholeCatalogue(db), true, work)
  const puts = (store: string, n: number): Record<string, Way> => ({
    'one UPDATE by hand': (round) => oneUpdate(db, store, items(round, n)),
    'the same through node:http': put(yardstick, store, n),
    façade: put(gateway, store, n),
  })
  const manyUpdates = (store: string): Record<string, Way> => ({
    'an UPDATE an item': (round) => updateEach(db, store, items(round, 1_000)),
  })
  const groups: [title: string, ways: Record<string, Way>][] = [
    ['PUT of 1,000 products', { ...puts(stores.big, 1_000), ...manyUpdates(stores.big) }],
    ['PUT of 1,000 short products', { ...puts(stores.short, 1_000), ...manyUpdates(stores.short) }],
    ['PUT of 10,000 products', puts(stores.big, 10_000)],
    [
      'DELETE of 1,000 assets',
      {
        'one statement by hand': () => referenceDelete(db, ids),
        "the catalogue's statements": undone((t) => deleteAssets(t, [{ storeUuid: stores.big, assetId: ids }])),
        façade: () => send(gateway, 'DELETE', 'assets?dry_run=true', [{ store_uuid: stores.big, asset_id: ids }]),
      },
    ],
    [
      'unlink of 1,000 assets',
      {
        'one statement by hand': () => referenceUnlink(db, links),
        "the catalogue's statements": undone((t) => unlinkAssets(t, links.map(linkOf))),
        façade: () =>
          send(
            gateway,
            'POST',
            'assets/unlink?dry_run=true',
            links.map((link) => ({ store_uuid: stores.big, ...link })),
          ),
      },
    ],
  ]
  const rows: string[][] = []
  for (const [title, ways] of groups) rows.push(...(await inTurn(title, ways, rounds)))
  return table(['bulk writes', 'ms', 'speed'], rows)
}

function linkOf({ parent_code, channel, asset_id }: Link) {
  return { storeUuid: stores.big, parentCode: parent_code, channel, assetId: [asset_id] }
}

/** Rows of the ways' times, measured alternately; speeds are ratios to the first way's. */
export async function inTurn(title: string, ways: Record<string, Way>, rounds: number): Promise<string[][]> {
  const timed = async (way: Way, round: number) => {
    const began = performance.now()
    await way(round + Math.random())
    return performance.now() - began
  }
  const times = await alternate(ways, rounds * 3, timed, { warmUps: 2 })
  const medians = Object.entries(times).map(([name, own]) => [name, median(own)] as const)
  const [[, first] = ['', Number.NaN]] = medians
  return medians.map(([name, ms]) => [`${title}: ${name}`, figure(ms), figure(first / ms)])
}

async function send({ url }: Server, method: 'PUT' | 'POST' | 'DELETE', path: string, body: unknown): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await request(`${url}/v1/${path}`, { method, headers, body: JSON.stringify(body) })
  const text = await response.body.text()
  if (response.statusCode !== 200) throw new Error(`${method} ${path}: ${text.slice(0, 500)}`)
}

type Item = { product_code: string } & Record<string, string>

async function oneUpdate(db: Kysely<Database>, store: string, given: readonly Item[]): Promise<void> {
  const rows = given.map(({ product_code, status, ...attributes }) => ({ product_code, status, attributes }))
  await db.executeQuery(CompiledQuery.raw(mergeProducts.text, [store, JSON.stringify(rows)]))
}

async function updateEach(db: Kysely<Database>, store: string, given: readonly Item[]): Promise<void> {
  await db.transaction().execute(async (transaction: Transaction<Database>) => {
    for (const { product_code, ...attributes } of given) {
      await sql`
        update product set attributes = attributes || ${JSON.stringify(attributes)}::jsonb, updated_at = now()
        where store_uuid = ${store}::uuid and product_code = ${product_code}`.execute(transaction)
    }
  })
}
