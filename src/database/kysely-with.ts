import {
  type Driver,
  Kysely,
  type KyselyPlugin,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import type { Database } from './tables.ts'

/** A database of PostgreSQL whose connections belong to another one, and come from the driver. */
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
