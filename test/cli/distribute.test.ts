import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { runCli } from '../support/clients/cli.ts'
import { useDatabase } from '../support/database/database.ts'

/** On Citus: test/citus/distribute.citus.ts. */
describe.each([
  ['a plain database', false],
  ['a database without tables', true],
])('catalog distribute on %s', (_title, empty) => {
  const database = useDatabase({ empty })
  const objects = async () => {
    const { rows } = await sql`
      select relname as name, relrowsecurity as limited from pg_class
      where relnamespace = current_schema()::regnamespace order by relname`.execute(database.db)
    return rows
  }

  it.each([[[]], [['--apply']], [['--apply', '--json']]])(
    '%j says what is missing, and changes nothing',
    async (options) => {
      const before = await objects()
      const { code, stdout, stderr } = await runCli(['distribute', ...options], { DATABASE_URL: database.url })
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(
        /^catalog: the database has no extension citus: install Citus on every server, run "create extension citus" in this database on each, and add the servers by citus_add_node\n$/,
      )
      expect(await objects()).toEqual(before)
    },
  )
})
