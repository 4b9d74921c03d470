import { execFile } from 'node:child_process'
import { mkdtempDisposable, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Kysely, sql } from 'kysely'
import { defineAttributes } from '../src/catalogue/attributes/attribute-definitions.ts'
import { wholeCatalogue } from '../src/catalogue/catalogue.ts'
import { fallbackEnumerations } from '../src/catalogue/enumerations.ts'
import { createStore } from '../src/catalogue/stores/stores.ts'
import { inTransaction } from '../src/catalogue/transaction.ts'
import type { Database } from '../src/database/tables.ts'
import { program } from '../test/support/servers/installed.ts'
import { catalog as catalogCommand, searchPath } from '../test/support/servers/program.ts'
import { figure, median, table } from './table.ts'

const run = promisify(execFile)

interface Measured {
  seconds: number
  /** The peak of resident memory in MiB; unknown for psql. */
  peak: number
}

/**
 * `catalog import` and `catalog export` of a generated file, each a process from start to end, compared with psql's
 * `\copy` of the file into a bare table of the same server. The ways alternate. `PSQL` names psql outside the path.
 */
export async function imports(
  database: { db: Kysely<Database>; url: string },
  rows: number,
  rounds: number,
): Promise<string> {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'catalogue-import-bench-'))
  const { path: folder } = temporary
  const lines: string[][] = []
  for (const assets of [0, 3]) {
    const name = `${rows.toLocaleString('en')} products${assets > 0 ? ` × ${assets} assets` : ''}`
    const ways = await inTurn(database, { folder, file: await generate(folder, rows, assets), assets }, rounds)
    const copy = median(ways.copy?.map(({ seconds }) => seconds) ?? [])
    for (const [way, measured] of Object.entries(ways)) {
      const seconds = median(measured.map((one) => one.seconds))
      const peak = way === 'copy' ? '' : figure(median(measured.map((one) => one.peak)))
      lines.push([`${name}: ${way}`, figure(rows / seconds), figure(copy / seconds), peak])
    }
  }
  return table(['files', 'rows/s', 'ratio to copy', 'peak MiB'], lines)
}

interface Given {
  folder: string
  file: string
  assets: number
}

/** One round warms up and is not counted. */
async function inTurn(
  { db, url }: { db: Kysely<Database>; url: string },
  { folder, file, assets }: Given,
  rounds: number,
): Promise<Record<string, Measured[]>> {
  const ways: Record<string, Measured[]> = {}
  const catalog = (...args: string[]) =>
    timed(catalogCommand, args, { ...process.env, PATH: searchPath, DATABASE_URL: url })
  for (let round = 0; round <= rounds; round++) {
    const [store, declared] = [await newStore(db), await newStore(db, columnsOf(0).slice(2))]
    const columns = columnsOf(assets).map((column) => `${JSON.stringify(column)} text`)
    await sql.raw(`drop table if exists bare; create table bare (${columns.join(', ')})`).execute(db)
    const measured = {
      copy: await timed(
        program('psql', process.env.PSQL),
        [url, '-c', `\\copy bare from '${file}' csv header`],
        process.env,
      ),
      'first import': await catalog('import', file, '--store', store),
      'first import, 5 attributes declared': await catalog('import', file, '--store', declared),
      'the same again': await catalog('import', file, '--store', store),
      export: await catalog('export', '--store', store, '--out', join(folder, 'out.csv')),
    }
    for (const [way, one] of Object.entries(measured)) if (round > 0) ways[way] = [...(ways[way] ?? []), one]
    for (const name of written) {
      await sql`delete from ${sql.table(name)} where store_uuid in (${store}::uuid, ${declared}::uuid)`.execute(db)
    }
    await sql`drop table bare`.execute(db)
    await sql`vacuum analyze`.execute(db)
  }
  return ways
}

/** The tables that an import writes, in an order in which they can be emptied. */
const written = 'product asset_link asset_group asset asset_group_range asset_group_total product_total'.split(' ')

/** A module for Node.js that prints the peak of memory at the exit of the process. */
const printPeak = 'process.on("exit",()=>process.stderr.write("peak "+process.resourceUsage().maxRSS))'

async function timed(program: string, args: string[], env: NodeJS.ProcessEnv): Promise<Measured> {
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(printPeak)}`
  const began = performance.now()
  const { stderr } = await run(program, args, { env: { ...env, NODE_OPTIONS } })
  const [, kibibytes] = /peak (\d+)$/.exec(stderr) ?? []
  return { seconds: (performance.now() - began) / 1000, peak: Number(kibibytes ?? Number.NaN) / 1024 }
}

function columnsOf(assets: number): string[] {
  const urls = Array.from({ length: assets }, (_, i) => `Image URL ${i + 1}`)
  return ['sku', 'status', 'Title', 'Color', 'Size', 'Price', 'Description', ...urls]
}

async function generate(folder: string, rows: number, assets: number): Promise<string> {
  const path = join(folder, `${assets}.csv`)
  const file = await open(path, 'w')
  await file.write(`${columnsOf(assets).join(',')}\n`)
  for (let at = 0; at < rows; at += 1_000) {
    await file.write(Array.from({ length: Math.min(1_000, rows - at) }, (_, i) => line(at + i, assets)).join(''))
  }
  await file.close()
  return path
}

function line(i: number, assets: number): string {
  const code = `SKU-${String(i).padStart(8, '0')}`
  const of = (words: string) => words.split(' ')[(i * 7919) % 4]
  const color = of('red blue green black')
  const text = `"A ${color}, ${of('soft light warm heavy')} and ${of('plain striped dotted checked')} piece for ${i % 9} days."`
  const cells = [code, of('new active draft new'), `${color} shirt ${i}`, color, of('S M L XL'), (i % 9999) / 100, text]
  const urls = Array.from({ length: assets }, (_, n) => `https://cdn.example.com/media/catalog/${code}-${n + 1}.jpg`)
  return `${[...cells, ...urls].join(',')}\n`
}

/** `declared`: its filterable attributes. */
async function newStore(db: Kysely<Database>, declared: readonly string[] = []): Promise<string> {
  const store = { storeName: 'S', storeTaxonomy: 'catalog', region: [], channels: ['SMP'], defaultAutomation: [] }
  return inTransaction(wholeCatalogue(db), async (work) => {
    const { storeUuid } = await createStore(work, fallbackEnumerations, store, { copyTaxonomy: false })
    const definitions = declared.map((name) => {
      return { name, type: name === 'Price' ? 'number' : 'text', filterable: true } as const
    })
    await defineAttributes(work, storeUuid, definitions)
    return storeUuid
  })
}
