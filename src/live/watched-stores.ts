import { type Catalogue, requireVisible } from '../catalogue/catalogue.ts'
import { listStores } from '../catalogue/stores/list-stores.ts'
import { findStores } from '../catalogue/stores/stores.ts'
import { invalidRequest, storeNotFound } from '../errors.ts'

const maxStores = 100

/** The UUIDs of the stores; by default all of the viewer. Throws `store_not_found`, or `invalid_request` for many. */
export async function watchedStores(catalogue: Catalogue, given: readonly string[] | undefined): Promise<string[]> {
  if (given && given.length > maxStores) throw tooMany(`must have at most ${maxStores} stores; got ${given.length}`)
  if (!given) {
    const stores = await listStores(catalogue, {}, { limit: maxStores + 1, backwards: false })
    if (stores.length <= maxStores) return stores.map(({ storeUuid }) => storeUuid)
    throw tooMany(`is required: the token has access to more than ${maxStores} stores; give at most ${maxStores}`)
  }
  const uuids = [...new Set(given.map((uuid) => requireVisible(catalogue, uuid)))]
  const found = await findStores(catalogue, uuids)
  const unknown = uuids.find((uuid) => !found.has(uuid))
  if (unknown !== undefined) throw storeNotFound('storeUuid', unknown)
  return uuids
}

function tooMany(details: string) {
  return invalidRequest([{ field: 'storeUuid', details: `storeUuid ${details}` }])
}
