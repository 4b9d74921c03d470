import { CompiledQuery, type Kysely, sql } from 'kysely'
import type { ConstructorOptions, PgBoss } from 'pg-boss'
import type { Database } from './tables.ts'

/** The schema that holds the tables of pg-boss, the library that queues jobs (https://pgboss.io). */
const schema = 'job_queue'

/** The queue of all jobs. A message names a job; the job itself is a row of the table `job`. */
export const queueName = 'job'

/** Makes a pg-boss instance whose statements run on `db`. Before `startQueue` it can only send. */
export async function openQueue(db: Kysely<Database>, options: ConstructorOptions = {}): Promise<PgBoss> {
  const { fromKysely, PgBoss } = await import('pg-boss')
  return new PgBoss({ db: db.isTransaction ? fromKysely(db) : executorOf(db), schema, schedule: false, ...options })
}

/** Some statements of pg-boss are scripts with their own transaction, which an error leaves open. */
function executorOf(db: Kysely<Database>): NonNullable<ConstructorOptions['db']> {
  return {
    executeSql: (text, values = []) =>
      db.connection().execute(async (connection) => {
        try {
          const { rows } = await connection.executeQuery(CompiledQuery.raw(onCoordinator(text), values))
          return { rows: [...rows] }
        } catch (error) {
          if (/^\s*begin/i.test(text)) await connection.executeQuery(CompiledQuery.raw('rollback'))
          throw error
        }
      }),
  }
}

/** Citus would create the schema on its servers, too, which takes a superuser. */
function onCoordinator(text: string): string {
  return text.replace(/^\s*begin;/i, '$& set local citus.enable_ddl_propagation = off;')
}

/** Starts pg-boss. Creates its tables and the queue, or upgrades them to the installed version. */
export async function startQueue(queue: PgBoss): Promise<void> {
  await queue.start()
  await queue.createQueue(queueName, {
    heartbeatSeconds: 10,
    expireInSeconds: 6 * 3600,
    // The table `job` counts how often a job may be retried: the library would count shutdowns too.
    retryLimit: 1000,
    retryDelay: 5,
    retentionSeconds: 365 * 86_400,
    deleteAfterSeconds: 3600,
  })
}

/** Creates or upgrades pg-boss's tables. Several gateways may do so at once. */
export async function migrateQueue(db: Kysely<Database>): Promise<void> {
  // A user without the right to create schemas needs an existing one.
  const { rows } = await sql<{ missing: boolean }>`select to_regnamespace(${schema}) is null as missing`.execute(db)
  const queue = await openQueue(db, { createSchema: rows[0]?.missing ?? true, supervise: false })
  // Errors of background work do not matter here.
  queue.on('error', () => {})
  try {
    await startQueue(queue)
  } finally {
    await queue.stop({ graceful: false })
  }
}
