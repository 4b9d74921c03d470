import { invalidRequest, storeNotFound } from '../../errors.ts'
import { type Catalogue, requireVisible } from '../catalogue.ts'
import { listStores } from './list-stores.ts'
import { findStores, type Store } from './stores.ts'

export const maxStores = 100

/**
 * The given stores, or all of the viewer. `field`: the name of the list in errors. Throws `store_not_found`, or
 * `invalid_request` for more than `maxStores`.
 */
export async function storesToRead(
  catalogue: Catalogue,
  storeUuids: readonly string[] | null | undefined,
  field = 'storeUuids',
): Promise<Store[]> {
  const tooMany = (details: string) => invalidRequest([{ field, details: `${field} ${details}` }])
  if (storeUuids == null) {
    const stores = await listStores(catalogue, {}, { limit: maxStores + 1, backwards: false })
    if (stores.length <= maxStores) return stores
    throw tooMany(`is required: the token has access to more than ${maxStores} stores; give at most ${maxStores}`)
  }
  if (storeUuids.length > maxStores) throw tooMany(`must have at most ${maxStores} stores; got ${storeUuids.length}`)
  const uuids = [...new Set(storeUuids.map((uuid) => requireVisible(catalogue, uuid, field)))]
  const found = await findStores(catalogue, uuids)
  return uuids.map((uuid) => {
    const store = found.get(uuid)
    if (!store) throw storeNotFound(field, uuid)
    return store
  })
}
