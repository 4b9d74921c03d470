import type { PostgresQueryResult } from 'kysely'
import type pg from 'pg'

/** How a gateway connects. */
export interface ConnectionConfig extends pg.PoolConfig {
  /** How many of the connections one token may hold; half of them where it is left out. */
  maxPerToken?: number
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

/** In ms; 0 or false: none. */
export type Timeouts = Required<
  Pick<pg.ClientConfig, 'statement_timeout' | 'lock_timeout' | 'idle_in_transaction_session_timeout'>
>

/**
 * Statements that set time-outs and, whatever the server's settings, durable commits, the standard's literals, and
 * plans for any parameters: the statements use their indexes whatever these are, and statistics expect no row of a new
 * store.
 */
export function settingsOf(scope: 'session' | 'local', timeouts: Timeouts): string {
  const set = Object.entries({ ...timeouts, standard_conforming_strings: 'on' }).map(
    ([name, value]) => `set ${scope} ${name} = ${value || 0}`,
  )
  const durable = `set_config('synchronous_commit', 'on', ${scope === 'local'})`
  return [...set, `select ${durable} where current_setting('synchronous_commit') = 'off'`, plansForAny(scope)].join(
    '; ',
  )
}

/** Citus plans for the store that a statement names. */
function plansForAny(scope: 'session' | 'local'): string {
  const set = `set_config('plan_cache_mode', 'force_generic_plan', ${scope === 'local'})`
  return `select ${set} where current_setting('citus.propagate_set_commands', true) is distinct from 'local'`
}

/**
 * Sends a statement that is planned for its values: of a filter, what is best depends on how common they are. If it
 * fails within a transaction, the end of that restores the setting.
 */
export async function sendPlanned<R>(
  client: pg.ClientBase,
  text: string,
  values: readonly unknown[],
): Promise<PostgresQueryResult<R>> {
  await client.query('set plan_cache_mode = force_custom_plan')
  try {
    return (await client.query(text, [...values])) as unknown as PostgresQueryResult<R>
  } finally {
    await client.query(`reset plan_cache_mode; ${plansForAny('session')}`).catch(() => {})
  }
}

/** Whether a statement begins as those do whose form depends on what is asked: they are not prepared. */
export const isOfAnyForm = (text: string): boolean => /^\s*\/\* any filter \*\//.test(text)

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
  const planned = 'set local plan_cache_mode = force_custom_plan'
  const status = client.getTransactionStatus()
  // After an error `pg` learns the status only from the server's next message.
  if (status !== 'I' || /^\s*rollback\b/i.test(text)) {
    if (status === 'T' && isOfAnyForm(text)) await send(planned)
    return send(text, values)
  }
  if (opensTransaction.test(text)) return send(endsTransaction.test(text) ? text : `${text}; ${settings}`)
  await send(`begin; ${settings}${isOfAnyForm(text) ? `; ${planned}` : ''}`)
  try {
    const answer = await send(text, values)
    await send('commit')
    return answer
  } catch (error) {
    await send('rollback').catch(() => {})
    throw error
  }
}
