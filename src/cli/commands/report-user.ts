import type { Command } from 'commander'
import { readConfig } from '../../app/config.ts'
import { addReportUser, listReportUsers, removeReportUser } from '../../auth/report-users.ts'
import { migrate } from '../../database/migrate.ts'
import { CatalogueError } from '../../errors.ts'
import { findStoreUuid } from '../find-store.ts'
import { collect } from '../option-values.ts'
import { type Work, withDatabase } from '../with-database.ts'

interface Json {
  json: boolean
}

export function addReportUsers(program: Command): void {
  const users = program.command('report-user').description('logins of PostgreSQL that SQL tools read stores with')
  users
    .command('add')
    .description('let a login read stores in the views of the schema report; a new one gets a password, shown once')
    .argument('<name>', 'the name of the login')
    .requiredOption('--store <store>', 'a store that it sees: its UUID or name; repeatable', collect, [])
    .option('--json', 'print one JSON object on stdout', false)
    .action(async (name: string, { store, json }: Json & { store: string[] }, command: Command) => {
      const password = await withServer(async ({ db }) => {
        const stores = await Promise.all(store.map((given) => findStoreUuid(db, given)))
        return addReportUser(db, name, stores)
      }).catch((error: unknown) => {
        if (error instanceof CatalogueError) command.error(`error: ${error.message}`, { exitCode: 2 })
        throw error
      })
      if (json) return print({ name, password: password ?? null })
      process.stderr.write(`${name}: ${password ? 'shown this once' : 'the login exists and keeps its password'}\n`)
      if (password) process.stdout.write(`${password}\n`)
    })
  users
    .command('list')
    .description('list the logins and their stores')
    .option('--json', 'print one JSON object on stdout', false)
    .action(async ({ json }: Json) => {
      const all = await withServer(({ db }) => listReportUsers(db))
      if (json) return print({ users: all })
      for (const { name, stores, exists } of all) {
        process.stdout.write(`${name}${exists ? '' : ' (no such login)'}  ${stores.join(' ')}\n`)
      }
    })
  users
    .command('remove')
    .description('take all stores from a login, and drop it if `add` has made it')
    .argument('<name>', 'the name of the login')
    .option('--json', 'print one JSON object on stdout', false)
    .action(async (name: string, { json }: Json) => {
      const removed = await withServer(({ db }) => removeReportUser(db, name))
      if (json) print({ name, removed: removed !== undefined, dropped: removed?.dropped ?? false })
      else process.stderr.write(`${outcome(name, removed)}\n`)
      if (!removed) process.exitCode = 1
    })
}

function outcome(name: string, removed: { dropped: boolean } | undefined): string {
  if (!removed) return `there is no report user ${JSON.stringify(name)}`
  return removed.dropped ? `removed ${name}` : `${name} sees no store; the login remains: "drop role ${name}" ends it`
}

/** No other program can connect to the embedded database. */
async function withServer<T>(work: (work: Work) => Promise<T>): Promise<T> {
  if (readConfig(process.env).databaseUrl === undefined) {
    const advice = 'move the catalogue to a PostgreSQL server by "catalog backup" and "catalog restore"'
    throw new Error(`no other program can connect to the embedded database: ${advice}, and set DATABASE_URL`)
  }
  return withDatabase(async (tools) => {
    await migrate(tools.db)
    return work(tools)
  })
}

function print(answer: object): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
