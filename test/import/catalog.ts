import type { ChildProcess } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { entriesOf } from '../../src/catalogue/asset-groups/asset-entries.ts'
import type { ProductStatus } from '../../src/catalogue/enumerations.ts'
import type { Database } from '../../src/database/tables.ts'
import { type CliOutcome, runCli, startCli } from '../support/clients/cli.ts'
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts'
import { storeIn } from '../support/factories.ts'
import { fixture } from '../support/fixture.ts'

export interface Answer {
  rows: number
  created: number
  updated: number
  unchanged: number
  failed: number
  assets_added: number
  links_added: number
}

/** A database, a directory for files, and the command line on both. */
export interface Catalog {
  database: TestDatabase
  newStore(): Promise<string>
  file(name: string, content: string | Uint8Array): Promise<string>
  path(name: string): string
  /** Writes a changed copy of a file and returns its path. */
  fix(path: string, change: (text: string) => string): Promise<string>
  /** Runs `catalog import`. */
  run(args: readonly string[], env?: Record<string, string>): Promise<CliOutcome>
  /** Runs `catalog import … --json`, which must print exactly one JSON object on stdout. */
  details(args: readonly string[], expectedCode?: number): Promise<Answer & Record<string, unknown>>
  /** The same, and of the object what happened to rows and assets. */
  answer(args: readonly string[], expectedCode?: number): Promise<Answer>
  drop(): Promise<void>
}

async function createCatalog(): Promise<Catalog> {
  const database = await createTestDatabase()
  const directory = await mkdtemp(join(tmpdir(), 'catalogue-import-'))
  const path = (name: string) => join(directory, name)
  const run = (args: readonly string[], env: Record<string, string> = {}) =>
    runCli(['import', ...args], { DATABASE_URL: database.url, ...env })
  const details: Catalog['details'] = async (args, expectedCode = 0) => {
    const { code, stdout, stderr } = await run([...args, '--json'])
    if (code !== expectedCode) throw new Error(`exit ${code} instead of ${expectedCode}: ${stdout}${stderr}`)
    if (!/^\{[^\n]*\}\n$/.test(stdout)) throw new Error(`stdout is not one JSON object: ${stdout}`)
    return JSON.parse(stdout)
  }
  return {
    database,
    newStore: () => storeIn(database.catalogue),
    path,
    file: async (name, content) => {
      await writeFile(path(name), content)
      return path(name)
    },
    fix: async (from, change) => {
      const to = join(directory, `fixed-${basename(from)}`)
      await writeFile(to, change(await readFile(from, 'utf8')))
      return to
    },
    run,
    details,
    answer: async (args, expectedCode) => {
      const { rows, created, updated, unchanged, failed, assets_added, links_added } = await details(args, expectedCode)
      return { rows, created, updated, unchanged, failed, assets_added, links_added }
    },
    drop: async () => {
      await database.drop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export function useCatalog(): Catalog {
  return fixture(createCatalog, (catalog) => catalog.drop?.())
}

/** Runs `catalog import` in a process of its own. */
export function startImport(args: readonly string[], env: Record<string, string>): ChildProcess {
  return startCli(['import', ...args], env)
}

/** The store's products by code, in its order. */
export async function productsOf({ database: { db } }: Catalog, storeUuid: string) {
  const { rows } = await sql<{ product_code: string; status: ProductStatus; attributes: Record<string, string> }>`
    select product_code, status, attributes from product where store_uuid = ${storeUuid} order by product_code`.execute(
    db,
  )
  return new Map(rows.map(({ product_code, status, attributes }) => [product_code, { status, attributes }]))
}

/** The URLs of a product's groups on a channel, by format, each in its order. */
export async function groupsOf({ database: { db } }: Catalog, storeUuid: string, code: string, channel = 'SMP') {
  const { rows } = await sql<{ assetFormat: string; entries: string }>`
    select asset_format as "assetFormat", entries from asset_group
    where store_uuid = ${storeUuid} and parent_code = ${code} and channel = ${channel}`.execute(db)
  return Object.fromEntries(
    rows.map((group) => [group.assetFormat, entriesOf(group.assetFormat, group.entries).map(({ url }) => url)]),
  )
}

/** How many rows of an unfinished import are done; 0 when there is none. */
export async function positionOf(db: Kysely<Database>, storeUuid: string): Promise<number> {
  const { rows } = await sql<{ rows: number }>`
    select (position -> 'counts' ->> 'rows')::int as rows from job
    where store_uuid = ${storeUuid} and position is not null`.execute(db)
  return rows[0]?.rows ?? 0
}
