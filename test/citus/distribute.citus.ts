import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { runCli } from '../support/clients/cli.ts'
import { useDatabase } from '../support/database/database.ts'

describe('catalog distribute', () => {
  const database = useDatabase()
  const run = (...args: string[]) => runCli(['distribute', ...args], { DATABASE_URL: database.url })

  it('spreads the stores once, and finds that each operation needs one server', async () => {
    expect(await run('--apply', '--json')).toEqual({
      code: 0,
      stdout: `${JSON.stringify({ applied: true, servers: 2, spread: [], copied: [] })}\n`,
      stderr: '',
    })
    expect((await run()).stdout).toBe('2 servers keep stores: they are spread already\n')
    const { rows } = await sql`
      select array_agg(table_name::text order by table_name::text) as tables from citus_tables
      where citus_table_type = 'distributed' and table_name not in (select inhrelid from pg_inherits)
      group by colocation_id`.execute(database.db)
    expect(rows).toEqual([
      {
        tables: [
          ...['asset', 'asset_group', 'asset_group_range', 'asset_group_total', 'asset_link'],
          ...['attribute_definition', 'change', 'channel_readiness', 'channel_requirement', 'job_part', 'measure'],
          ...['product', 'product_gap', 'product_total', 'store'],
        ],
      },
    ])
  })

  it('is known to `catalog check`', async () => {
    const { stdout } = await runCli(['check', '--json'], { DATABASE_URL: database.url })
    expect(JSON.parse(stdout)).toEqual({ database: 'citus', differences: [] })
  })
})
