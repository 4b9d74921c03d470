import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import type { Database } from '../tables.ts'
import { connectDirectly, timeouts } from './connect.ts'
import { sentStatements } from './sent-statements.ts'
import { sendWithSettings, settingsOf } from './session.ts'

type CopyValue = string | number | boolean | null

/** A separate connection: statements of `db` run there, and rows can be streamed. */
export interface OwnConnection {
  db: Kysely<Database>
  /** Streams rows into columns of a table: a statement of the transaction that is open on `db`. */
  copy<Row>(target: string, rows: Iterable<Row>, valuesOf: (row: Row) => readonly CopyValue[]): Promise<void>
  /** Streams rows in the text format of `COPY`. */
  copyIn(target: string, text: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<void>
  /** Reads rows in that format. A reader that stops early ends the work. */
  copyOut(source: string): Promise<Readable>
}

const longer = { statement_timeout: 0, idle_in_transaction_session_timeout: 15 * 60_000 }
const settings = settingsOf('local', { ...timeouts, ...longer })

/**
 * Runs work on a separate connection, where statements on a whole store may take long. A transaction may wait for a
 * file for 15 minutes: that of a frozen process holds up the changes of all stores.
 */
export async function withOwnConnection<T>(db: Kysely<Database>, work: (own: OwnConnection) => Promise<T>): Promise<T> {
  const client = await connectDirectly(db)
  const query = (text: string, values: readonly unknown[]) => {
    sentStatements.publish(text)
    return sendWithSettings(client, settings, text, values)
  }
  const single = { connect: async () => ({ query, release: () => {} }), end: async () => {} }
  const dialect = new PostgresDialect({ pool: single as unknown as PostgresPool })
  // Loaded on demand: migrations do not need it, and must not delay the start.
  const copyStreams = () => import('pg-copy-streams')
  const copyIn: OwnConnection['copyIn'] = async (target, text) => {
    const { from } = await copyStreams()
    await pipeline(Readable.from(text), client.query(from(`copy ${target} from stdin`)))
  }
  const copyOut = async (source: string) => {
    const { to } = await copyStreams()
    return client.query(to(`copy ${source} to stdout`)).on('error', () => {}) // its reader gets it too
  }
  try {
    return await work({
      db: new Kysely<Database>({ dialect, plugins: [...db.getExecutor().plugins] }),
      copy: (target, rows, valuesOf) => copyIn(target, copyText(rows, valuesOf)),
      copyIn,
      copyOut,
    })
  } finally {
    await client.end().catch(() => {})
  }
}

const bufferSize = 64 * 1024

/** Rows in the text format of `COPY`, in parts that are made as they are sent. */
function* copyText<Row>(rows: Iterable<Row>, valuesOf: (row: Row) => readonly CopyValue[]): Generator<Buffer> {
  let text = ''
  for (const row of rows) {
    let separator = ''
    for (const value of valuesOf(row)) {
      text += separator + escaped(value)
      separator = '\t'
    }
    text += '\n'
    if (text.length < bufferSize) continue
    yield Buffer.from(text)
    text = ''
  }
  if (text !== '') yield Buffer.from(text)
}

function escaped(value: CopyValue): string | number | boolean {
  if (typeof value === 'string')
    return special.test(value) ? value.replace(specials, (one) => escapes[one] ?? one) : value
  return value ?? '\\N'
}

const special = /[\\\n\r\t]/
const specials = /[\\\n\r\t]/g
const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }
