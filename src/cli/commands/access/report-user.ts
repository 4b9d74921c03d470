import type { Command } from 'commander'
import { readConfig } from '../../../app/config.ts'
import { addReportUser, listReportUsers, removeReportUser } from '../../../auth/report-users.ts'
import { findStoreUuid } from '../../../catalogue/stores/stores.ts'
import { collect, jsonFlag } from '../../option-values.ts'
import { printResult } from '../../output.ts'
import { type CommandContext, withDatabase } from '../../with-database.ts'

interface Json {
  json: boolean
}

export function addReportUsers(program: Command): void {
  const users = program.command('report-user').description('manage PostgreSQL logins for SQL tools')
  users
    .command('add')
    .description(
      'let a login read stores through the views of the schema report; a new login gets a password, shown only once',
    )
    .argument('<name>', 'the name of the login')
    .requiredOption('--store <store>', 'a store that the login may read: its UUID or name; repeatable', collect, [])
    .option(...jsonFlag)
    .action(async (name: string, { store, json }: Json & { store: string[] }) => {
      const password = await withServer(async ({ db }) => {
        const stores = await Promise.all(store.map((given) => findStoreUuid(db, given)))
        return addReportUser(db, name, stores)
      })
      if (!json)
        process.stderr.write(
          `${name}: ${password ? 'the password is shown only once' : 'the login exists and keeps its password'}\n`,
        )
      printResult(json, { name, password: password ?? null }, password ?? '')
    })
  users
    .command('list')
    .description('list the logins and their stores')
    .option(...jsonFlag)
    .action(async ({ json }: Json) => {
      const all = await withServer(({ db }) => listReportUsers(db))
      const lines = all.map(
        ({ name, stores, exists }) => `${name}${exists ? '' : ' (no such login)'}  ${stores.join(' ')}`,
      )
      printResult(json, { users: all }, lines.join('\n'))
    })
  users
    .command('remove')
    .description('remove all stores from a login, and drop the login if `add` created it')
    .argument('<name>', 'the name of the login')
    .option(...jsonFlag)
    .action(async (name: string, { json }: Json) => {
      const removed = await withServer(({ db }) => removeReportUser(db, name))
      if (!json) process.stderr.write(`${outcome(name, removed)}\n`)
      printResult(json, { name, removed: removed !== undefined, dropped: removed?.dropped ?? false }, '')
      if (!removed) process.exitCode = 1
    })
}

function outcome(name: string, removed: { dropped: boolean } | undefined): string {
  if (!removed) return `there is no report user ${JSON.stringify(name)}`
  return removed.dropped
    ? `removed ${name}`
    : `${name} can no longer read any store; the login still exists: "drop role ${name}" deletes it`
}

/** No other program can connect to the embedded database. */
async function withServer<T>(run: (context: CommandContext) => Promise<T>): Promise<T> {
  if (readConfig(process.env).databaseUrl === undefined) {
    const advice = 'move the catalogue to a PostgreSQL server by "catalog backup" and "catalog restore"'
    throw new Error(`no other program can connect to the embedded database: ${advice}, and set DATABASE_URL`)
  }
  return withDatabase(run, { migrates: true })
}
