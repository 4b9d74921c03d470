import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { runCli } from '../support/clients/cli.ts'
import { storeWithProducts } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()

it('what works on all of a store may take longer than a request', async () => {
  const { db, url } = gateway.database
  const store = await storeWithProducts(gateway, ['A'])
  const slow = new URL(url)
  slow.searchParams.set('statement_timeout', '300')
  for (const [table, ...args] of [
    ['product', 'export', '--store', store],
    ['asset_link', 'check'],
  ] as const) {
    const outcome = await db.transaction().execute(async (transaction) => {
      await sql`lock table ${sql.table(table)}`.execute(transaction)
      const running = runCli(args, { DATABASE_URL: slow.href })
      const waits = async () => {
        const { rows } = await sql`select from pg_locks where not granted and relation = ${table}::regclass
          and pid in (select pid from pg_stat_activity where now() - query_start > interval '1 s')`.execute(db)
        return rows.length
      }
      // Where it does not wait it has ended: with the deadline of a request it would.
      await Promise.race([running, expect.poll(waits).toBe(1)])
      return { running }
    })
    expect(await outcome.running, args[0]).toMatchObject({ code: 0 })
  }
})
