import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fallbackEnumerations } from '../../src/catalog/enumerations.ts'
import { createStore } from '../../src/catalog/stores.ts'
import { write } from '../../src/catalog/write.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

export const cli = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))

export interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

export interface Answer {
  rows: number
  created: number
  updated: number
  unchanged: number
  failed: number
  assets_added: number
  links_added: number
}

/** A database, a directory for files, and the real command line on both. */
export interface Catalog {
  database: TestDatabase
  newStore(): Promise<string>
  /** Writes a file and returns its path. */
  file(name: string, content: string | Uint8Array): Promise<string>
  path(name: string): string
  /** Writes a changed copy of a file and returns its path. */
  mend(path: string, change: (text: string) => string): Promise<string>
  /** Runs `catalog import` in a process of its own. */
  run(args: readonly string[], env?: Record<string, string>): Promise<Outcome>
  /** Runs `catalog import … --json`, which must print exactly one JSON object on stdout. */
  answer(args: readonly string[], expectedCode?: number): Promise<Answer>
  drop(): Promise<void>
}

export async function createCatalog(): Promise<Catalog> {
  const database = await createTestDatabase()
  const directory = await mkdtemp(join(tmpdir(), 'catalogue-import-'))
  const path = (name: string) => join(directory, name)
  const run = (args: readonly string[], env: Record<string, string> = {}) =>
    outcomeOf(startImport(args, { DATABASE_URL: database.url, ...env }))
  return {
    database,
    newStore: () => newStore(database),
    path,
    file: async (name, content) => {
      await writeFile(path(name), content)
      return path(name)
    },
    mend: async (from, change) => {
      const to = join(directory, `mended-${basename(from)}`)
      await writeFile(to, change(await readFile(from, 'utf8')))
      return to
    },
    run,
    answer: async (args, expectedCode = 0) => {
      const { code, stdout, stderr } = await run([...args, '--json'])
      if (code !== expectedCode) throw new Error(`exit ${code} instead of ${expectedCode}: ${stdout}${stderr}`)
      if (!/^\{[^\n]*\}\n$/.test(stdout)) throw new Error(`stdout is not one JSON object: ${stdout}`)
      return JSON.parse(stdout) as Answer
    },
    drop: async () => {
      await database.drop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Starts `catalog import` without waiting for it. */
export function startImport(args: readonly string[], env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [cli, 'import', ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

export function outcomeOf(child: ChildProcess): Promise<Outcome> {
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}

async function newStore({ db }: TestDatabase): Promise<string> {
  const store = {
    storeName: 'Imported',
    storeTaxonomy: 'catalog',
    region: [],
    channels: ['SMP'],
    defaultAutomation: [],
  }
  const made = await write(db, false, (transaction) =>
    createStore(transaction, fallbackEnumerations, store, { copyTaxonomy: false }),
  )
  return made.storeUuid
}

/** The store's products by code, in its order. */
export async function productsOf({ database: { db } }: Catalog, storeUuid: string) {
  const rows = await db
    .selectFrom('product')
    .select(['product_code', 'status', 'attributes'])
    .where('store_uuid', '=', storeUuid)
    .orderBy('product_code')
    .execute()
  return new Map(rows.map(({ product_code, status, attributes }) => [product_code, { status, attributes }]))
}

/** The URLs of a product's groups on a channel, by format, each in its order. */
export async function groupsOf({ database: { db } }: Catalog, storeUuid: string, code: string, channel = 'SMP') {
  const rows = await db
    .selectFrom('asset_group')
    .select(['asset_format', 'entries'])
    .where('store_uuid', '=', storeUuid)
    .where('parent_code', '=', code)
    .where('channel', '=', channel)
    .execute()
  return Object.fromEntries(rows.map(({ asset_format, entries }) => [asset_format, urlsOf(entries)]))
}

/** The second field of each entry: the first is its asset id. */
function urlsOf(entries: string): (string | undefined)[] {
  return (JSON.parse(entries) as Record<string, string>[]).map((entry) => Object.values(entry)[1])
}
