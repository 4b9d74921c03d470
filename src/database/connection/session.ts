import { type PostgresQueryResult, sql } from 'kysely'
import type pg from 'pg'

/** How a gateway connects. */
export interface ConnectionConfig extends pg.PoolConfig {
  /** How many of the connections one tenant may hold; by default half. */
  maxPerTenant?: number
  /** How many statements of long reads may run at a time; by default as many as this machine has cores. */
  cores?: number
  /**
   * Whether a pooler gives the connection to another client after each transaction: then settings of a session would
   * apply to other clients.
   */
  transactionPooling?: boolean
  /** One URL for each host of the database; `connectionString` is the current one. */
  urls?: string[]
  /** Whether Citus distributes the tables over several servers. */
  isDistributed?: boolean
  /** The URL of the server behind a pooler, for work that takes long. */
  directUrl?: string | undefined
}

/** In ms; 0 or false: none. */
export type Timeouts = Required<
  Pick<pg.ClientConfig, 'statement_timeout' | 'lock_timeout' | 'idle_in_transaction_session_timeout'>
>

/** What statements rely on, whatever the server, the database and the role set. */
const settings = {
  // Compiling statements, and starting processes for them, would take longer than running them.
  jit: 'off',
  max_parallel_workers_per_gather: 0,
  // `pg` reads times in the ISO format only, cursors have all digits of numbers, and days are those of UTC.
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  datestyle: 'ISO',
  timezone: 'UTC',
  extra_float_digits: 1,
  row_security: 'on',
}

const ofSession = {
  // A statement sees what was committed before it began: what it reads under a lock is current.
  default_transaction_isolation: `'read committed'`,
  // The pool closes idle connections: one that the server closes could have just been sent a statement.
  idle_session_timeout: 0,
}

/** Statements that make these settings those of a session, or of its transaction (whose level `begin` has). */
export function settingsOf(scope: 'session' | 'local', timeouts: Timeouts): string {
  const isLocal = scope === 'local'
  const fixed = Object.entries({ ...timeouts, ...settings, ...(isLocal ? {} : ofSession) })
  const useIf = (condition: string, name: string, value: string) =>
    `case when ${condition} then set_config('${name}', '${value}', ${isLocal}) end`
  // Generic plans use indexes even where statistics expect no row, as of a new store. Citus plans for each store.
  const isCitus = `current_setting('citus.propagate_set_commands', true) = 'local'`
  const dependent = [
    useIf(`current_setting('synchronous_commit') = 'off'`, 'synchronous_commit', 'on'),
    useIf(`(${isCitus}) is not true`, 'plan_cache_mode', 'force_generic_plan'),
  ]
  const set = fixed.map(([name, value]) => `set ${scope} ${name} = ${value || 0}`)
  const statements = [...set, `select ${dependent.join(', ')}`].join('; ')
  // At the level that a server may set for transactions, a hot standby may refuse to read.
  return isLocal ? statements : `begin isolation level read committed; ${statements}; commit`
}

/** Begins a statement whose best plan depends on its values, and whose text on the filter: it is not prepared. */
export const customPlan = sql`/* custom plan */`

/** Begins a statement with many forms: it is not prepared, as those that are prepared are never forgotten. */
export const unprepared = sql`/* unprepared */`

export function needsCustomPlan(text: string): boolean {
  return text.trimStart().startsWith('/* custom plan */')
}

const opening = /^\s*(?:begin|start transaction)\b[^;]*/i
const useCustomPlans = 'set local plan_cache_mode = force_custom_plan'

/** Sends a statement in a transaction that has the settings; a statement outside a transaction gets its own. */
export async function sendWithSettings<R>(
  client: pg.ClientBase,
  settings: string,
  text: string,
  values: readonly unknown[],
): Promise<PostgresQueryResult<R>> {
  const send = (statement: string, parameters: readonly unknown[] = []) =>
    client.query(statement, [...parameters]) as Promise<unknown> as Promise<PostgresQueryResult<R>>
  const status = client.getTransactionStatus()
  // After an error `pg` learns the status only from the server's next message.
  if (status !== 'I' || /^\s*rollback\b/i.test(text)) {
    if (status === 'T' && needsCustomPlan(text)) await send(useCustomPlans)
    return send(text, values)
  }
  if (opening.test(text)) return send(text.replace(opening, (begin) => openingWith(settings, begin)))
  await send([openingWith(settings, 'begin'), needsCustomPlan(text) && useCustomPlans].filter(Boolean).join('; '))
  try {
    const answer = await send(text, values)
    await send('commit')
    return answer
  } catch (error) {
    await send('rollback').catch(() => {})
    throw error
  }
}

/** The isolation level, too: that of the session's setting has begun before the settings are read. */
function openingWith(settings: string, begin: string): string {
  const level = /isolation level/i.test(begin) ? '' : ' isolation level read committed'
  return [begin + level, settings].filter(Boolean).join('; ')
}
