import { hash } from 'node:crypto'
import type { PostgresQueryResult } from 'kysely'
import pg from 'pg'

/** Names of statements, by their text: there are about as many as places in the code. */
const names = new Map<string, string>()
const maxNames = 500

/** Sends a statement, prepared if it is one of the catalogue. A pooler's clients share names: the text makes them. */
export function sendPrepared<R>(
  client: pg.ClientBase,
  text: string,
  values: readonly unknown[],
): Promise<PostgresQueryResult<R>> {
  const name = nameOf(text)
  if (name === undefined) return client.query(text, [...values]) as Promise<unknown> as Promise<PostgresQueryResult<R>>
  // `client.query({ name, text, values })` would copy its argument, which takes it longer than all else. The callback
  // is given to the constructor: one that is set later makes V8 keep the query, and all that it read, until the whole
  // heap is collected.
  return new Promise((resolve, reject) => {
    const answered = (error: Error | null, result: PostgresQueryResult<R>) => (error ? reject(error) : resolve(result))
    const query = new Query(text, values, answered)
    query.name = name
    client.query(query)
  })
}

/** What `pg` has and its types do not show. */
const Query = pg.Query as unknown as new <R>(
  text: string,
  values: readonly unknown[],
  answered: (error: Error | null, result: PostgresQueryResult<R>) => void,
) => pg.Query & { name: string }

function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined) return known
  if (names.size >= maxNames || !/^\s*(select|with|insert|update|delete)\b/i.test(text)) return undefined
  const name = `catalogue_${hash('sha256', text).slice(0, 32)}`
  names.set(text, name)
  return name
}
