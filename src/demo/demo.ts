import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Enumerations } from '../catalog/enumerations.ts'
import type { Database } from '../database/tables.ts'

export async function fillDemo(_db: Kysely<Database>, _enumerations: Enumerations, _log: Logger): Promise<void> {}
