import type { Kysely } from 'kysely'
import type { Database } from '../../database/tables.ts'
import { invalidRequest, storeNotFound } from '../../errors.ts'
import { shown, storeUuidOf } from '../../text.ts'

/** The UUID of a store given by its UUID or by a name that no other store has. Throws a CatalogueError. */
export async function findStoreUuid(db: Kysely<Database>, given: string): Promise<string> {
  const uuid = storeUuidOf(given)
  if (uuid !== undefined) return uuid
  const named = db.selectFrom('store').select('store_uuid').where('store_name', '=', given)
  const [first, ...others] = await named.orderBy('store_uuid').limit(3).execute()
  if (!first) throw storeNotFound('store', given)
  if (others.length === 0) return first.store_uuid
  const some = [first, ...others].map(({ store_uuid }) => store_uuid).join(', ')
  throw invalidRequest(`several stores have the name ${shown(given)}: give the UUID of one, such as ${some}`)
}
