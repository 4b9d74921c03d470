import { hash } from 'node:crypto'
import type { PostgresQueryResult } from 'kysely'
import pg from 'pg'

/** Names of statements by their text. */
const names = new Map<string, string>()
const maxNames = 500

/** Sends a statement, prepared if it reads or writes. Its name is a hash: clients of a pooler share names. */
export function sendPrepared<R>(
  client: pg.ClientBase,
  text: string,
  values: readonly unknown[],
): Promise<PostgresQueryResult<R>> {
  const name = statementName(text)
  if (name === undefined) return client.query(text, [...values]) as Promise<unknown> as Promise<PostgresQueryResult<R>>
  // `client.query({ name, text, values })` would copy its argument, which takes most of the time. A callback that is
  // set after the constructor makes V8 hold the query and its rows until a full collection.
  return new Promise((resolve, reject) => {
    const answered = (error: Error | null, result: PostgresQueryResult<R>) => (error ? reject(error) : resolve(result))
    const query = new Query(text, values, answered)
    query.name = name
    client.query(query)
  })
}

/** A property of `pg` that its types lack. */
const Query = pg.Query as unknown as new <R>(
  text: string,
  values: readonly unknown[],
  answered: (error: Error | null, result: PostgresQueryResult<R>) => void,
) => pg.Query & { name: string }

function statementName(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined) return known
  if (names.size >= maxNames || !/^\s*(select|with|insert|update|delete)\b/i.test(text)) return undefined
  const name = `catalogue_${hash('sha256', text).slice(0, 32)}`
  names.set(text, name)
  return name
}
