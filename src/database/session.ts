import type { PostgresQueryResult } from 'kysely'
import type pg from 'pg'

/** How a gateway connects. */
export interface ConnectionConfig extends pg.PoolConfig {
  /**
   * Whether there is a pooler that gives a connection to another client after each transaction: nothing may be left in
   * a session, and what is set in one would be set for others.
   */
  transactionPooling?: boolean
  /** One for each host, where the database has several; `connectionString` is the one that serves. */
  urls?: string[]
  /** Straight to the server, for work that takes long. */
  directUrl?: string | undefined
}

type Timeouts = Pick<pg.ClientConfig, 'statement_timeout' | 'lock_timeout' | 'idle_in_transaction_session_timeout'>

/** Whatever the server's settings: durable commits, and the standard's quotation of literals. */
const safety = {
  session: `set standard_conforming_strings = on;
  select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`,
  local: `set local standard_conforming_strings = on;
  select set_config('synchronous_commit', 'on', true) where current_setting('synchronous_commit') = 'off'`,
}

/** Plans for parameters cost more to make than to run: the statements use their indexes whatever the parameters. */
export const sessionSettings = `set plan_cache_mode = force_generic_plan; ${safety.session}`

/** Statements that set the same, but the plans of what is not prepared, until the transaction ends. */
export function localSettings(timeouts: Timeouts): string {
  const set = Object.entries(timeouts).map(([name, milliseconds]) => `set local ${name} = ${milliseconds || 0}`)
  return [...set, safety.local].join('; ')
}

const opensTransaction = /^\s*(begin|start transaction)\b/i
const endsTransaction = /\bcommit\b/i

/** Sends a statement within a transaction that has the settings; one that is not within a transaction gets its own. */
export async function sendWithSettings<R>(
  client: pg.ClientBase,
  settings: string,
  text: string,
  values: readonly unknown[],
): Promise<PostgresQueryResult<R>> {
  const send = (statement: string, parameters: readonly unknown[] = []) =>
    client.query(statement, [...parameters]) as Promise<unknown> as Promise<PostgresQueryResult<R>>
  if (client.getTransactionStatus() !== 'I') return send(text, values)
  if (opensTransaction.test(text)) return send(endsTransaction.test(text) ? text : `${text}; ${settings}`)
  await send(`begin; ${settings}`)
  try {
    const answer = await send(text, values)
    await send('commit')
    return answer
  } catch (error) {
    await send('rollback').catch(() => {})
    throw error
  }
}
