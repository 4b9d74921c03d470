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

/** Works on a connection of its own, apart from the pool's and without its deadlines of statements: what works on all of a store may take its time. */
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
    await client.query('set statement_timeout = 0') // also where the URL says otherwise
    return await work({
      db: new Kysely<Database>({ dialect, plugins: [...db.getExecutor().plugins] }),
      copy: (target, lines) => pipeline(Readable.from(lines), client.query(copyFrom(`copy ${target} from stdin`))),
    })
  } finally {
    await client.end().catch(() => {})
  }
}

const bufferSize = 64 * 1024
/** Buffers that nobody needs any more: new ones would pile up until garbage is collected. */
const spare: Buffer[] = []
const mostSpare = 128

/** Lines in the text format of `COPY`. They are kept as bytes, which are no burden to the collector of garbage. */
export class CopyLines {
  private readonly buffers: Buffer[] = []
  private readonly full: Buffer[] = []
  private buffer: Buffer = Buffer.alloc(0)
  private used = 0
  /** Few lines at a time: a text that grows is a tree of its pieces until it is written. */
  private text = ''

  /** Adds a line without its end: what stands in it is escaped already. */
  add(line: string): void {
    this.text += line
    this.text += '\n'
    if (this.text.length >= 2048) this.write()
  }

  /** The lines in order, some at a time. */
  take(): readonly Buffer[] {
    this.write()
    this.flush()
    return this.full
  }

  /** Says that the lines are needed no more. */
  release(): void {
    for (const buffer of this.buffers) if (spare.length < mostSpare && buffer.length === bufferSize) spare.push(buffer)
    this.buffers.length = 0
    this.full.length = 0
  }

  private write(): void {
    const most = 3 * this.text.length
    if (this.used + most > this.buffer.length) {
      this.flush()
      this.buffer = most <= bufferSize ? (spare.pop() ?? Buffer.allocUnsafe(bufferSize)) : Buffer.allocUnsafe(most)
      this.buffers.push(this.buffer)
    }
    this.used += this.buffer.write(this.text, this.used)
    this.text = ''
  }

  private flush(): void {
    if (this.used > 0) this.full.push(this.buffer.subarray(0, this.used))
    this.buffer = Buffer.alloc(0)
    this.used = 0
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

/** A text as JSON, as it stands in a line. Most are as they are between quotes, which is found sooner than they are written; nothing but backslashes is left to be escaped. */
export function escapedJson(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text).replaceAll('\\', '\\\\')
}

const plain = /^[ !#-[\]-\ud7ff]*$/
