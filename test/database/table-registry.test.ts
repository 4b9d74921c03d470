import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { tables } from '../../src/database/registry/table-registry.ts'
import { useDatabase } from '../support/database/database.ts'

const database = useDatabase()
const names = tables.map(({ name }) => name).toSorted()

it('has every table but that of migrations, and each with stores has row-level security', async () => {
  const { rows } = await sql<{ name: string; hasStore: boolean; isSecured: boolean }>`
    select c.relname as name, c.relrowsecurity as "isSecured",
      exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'store_uuid') as "hasStore"
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname <> 'migration'`.execute(database.db)
  expect(rows.map(({ name }) => name).toSorted(), 'the names in table-registry.ts').toEqual(names)
  const unsecured = rows.filter(({ hasStore, isSecured }) => hasStore && !isSecured)
  expect(unsecured).toEqual([])
})

it('has its tables described by the documentation', () => {
  const text = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8')
  const missing = names.filter((name) => !text.includes(`\`${name}\``))
  expect(missing, 'tables that docs/architecture.md does not name').toEqual([])
})
