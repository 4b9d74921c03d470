import {
  type Driver,
  Kysely,
  type KyselyPlugin,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import type { Database } from './tables.ts'

/** A Kysely for PostgreSQL over a driver that uses the connections of another one. */
export function kyselyWith(driver: Omit<Driver, 'init' | 'destroy'>, plugins: KyselyPlugin[] = []): Kysely<Database> {
  const ignore = async () => {}
  return new Kysely<Database>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => ({ ...driver, init: ignore, destroy: ignore }),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    plugins,
  })
}
