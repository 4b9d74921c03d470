import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { poolOf } from './connect.ts'
import type { Database } from './tables.ts'

/** A row's values as PostgreSQL's `COPY` takes them. */
export type CopyValue = string | number | boolean | null

/** A connection of one's own: what is done on `db` is done there, and rows can be streamed in. */
export interface Session {
  db: Kysely<Database>
  /** Streams lines into columns of a table: a statement of the transaction that is open on `db`. */
  copy(target: string, lines: Iterable<Buffer>): Promise<void>
}

/** Works on a connection of its own, apart from the pool's and without its deadlines of statements: a bulk write may take its time. */
export async function withSession<T>(db: Kysely<Database>, work: (session: Session) => Promise<T>): Promise<T> {
  const pool = poolOf(db)
  if (!pool) throw new Error('the database was not connected to by a pool')
  const { options, Client } = pool as pg.Pool & { Client: typeof pg.Client }
  const client = new Client({ ...options, statement_timeout: 0, query_timeout: 0 })
  client.on('error', () => {}) // the statement that is under way says so
  await client.connect()
  const single = { connect: async () => Object.assign(client, { release: () => {} }), end: async () => {} }
  const dialect = new PostgresDialect({ pool: single as unknown as pg.Pool })
  try {
    return await work({
      db: new Kysely<Database>({ dialect, plugins: [...db.getExecutor().plugins] }),
      copy: (target, lines) => pipeline(Readable.from(lines), client.query(copyFrom(`copy ${target} from stdin`))),
    })
  } finally {
    await client.end().catch(() => {})
  }
}

const bufferSize = 64 * 1024

/** Lines in the text format of `COPY`. They are kept as bytes, which are no burden to the collector of garbage. */
export class CopyLines {
  private readonly full: Buffer[] = []
  private text = ''

  /** Adds a line without its end: what stands in it is escaped already. */
  add(line: string): void {
    this.text += line
    this.text += '\n'
    if (this.text.length >= bufferSize) this.flush()
  }

  /** The lines in order, some at a time. */
  take(): readonly Buffer[] {
    this.flush()
    return this.full
  }

  private flush(): void {
    if (this.text !== '') this.full.push(Buffer.from(this.text))
    this.text = ''
  }
}

/** Rows as `COPY` takes them, made as they are taken: what they are made of need not be in memory twice. */
export function* copyText(rows: Iterable<readonly CopyValue[]>): Generator<Buffer> {
  let text = ''
  for (const values of rows) {
    for (let i = 0; i < values.length; i++) text += (i === 0 ? '' : '\t') + escaped(values[i] ?? null)
    text += '\n'
    if (text.length < bufferSize) continue
    yield Buffer.from(text)
    text = ''
  }
  if (text !== '') yield Buffer.from(text)
}

/** A value as it stands in a line. */
export function escaped(value: CopyValue): string {
  if (value === null) return '\\N'
  if (typeof value !== 'string') return String(value)
  return special.test(value) ? value.replace(specials, (character) => escapes[character] ?? character) : value
}

const special = /[\\\n\r\t]/
const specials = /[\\\n\r\t]/g
const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }
