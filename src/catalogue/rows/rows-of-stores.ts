import { invalidRequest, storeNotFound } from '../../errors.ts'
import { type Catalogue, requireVisible } from '../catalogue.ts'
import { listStores } from '../stores/list-stores.ts'
import { findStores, type Store } from '../stores/stores.ts'

export const mostStores = 100

/** Stores that are read at a time. */
const atOnce = 4

/** Which stores to read rows of: undefined or null means all that the viewer may see. At most `limit` rows. */
export interface RowsRequest {
  storeUuids?: readonly string[] | null | undefined
  limit: number
}

type RowStore = Pick<Store, 'storeUuid' | 'storeName'>

/** What a store's rows may be: so many at most, and none older than this. */
export interface RowsPart {
  limit: number
  since: Date | null
}

/**
 * The rows of each store, read by a statement of its own, with the name of the store; in the order of the stores, or
 * the newest first if rows have a time. Once there are enough rows, older ones are not read, nor further ones without a
 * time. Throws `store_not_found`, or `invalid_request` for too many stores.
 */
export async function rowsOfStores<Row extends object>(
  catalogue: Catalogue,
  { storeUuids, limit }: RowsRequest,
  read: (store: Store, part: RowsPart) => Promise<Row[]>,
): Promise<(Row & RowStore)[]> {
  const stores = await storesToRead(catalogue, storeUuids)
  let rows: (Row & RowStore)[] = []
  for (let begin = 0; begin < stores.length; begin += atOnce) {
    const oldest = rows.length < limit ? undefined : rows.at(-1)
    if (oldest && !('at' in oldest)) break
    const since = oldest ? new Date(timeOf(oldest)) : null
    const part = stores.slice(begin, begin + atOnce).map(async (store) => {
      const { storeUuid, storeName } = store
      return (await read(store, { limit, since })).map((row) => ({ storeUuid, storeName, ...row }))
    })
    rows = [...rows, ...(await Promise.all(part)).flat()]
    // Stable: rows without a time stay in the order of the stores.
    rows = rows.sort((a, b) => timeOf(b) - timeOf(a)).slice(0, limit)
  }
  return rows
}

function timeOf(row: object): number {
  return 'at' in row ? Number(row.at) : 0
}

/** The stores that are named, or all that the viewer may see. */
export async function storesToRead(catalogue: Catalogue, storeUuids: RowsRequest['storeUuids']): Promise<Store[]> {
  if (storeUuids == null) {
    const stores = await listStores(catalogue, {}, { limit: mostStores + 1, backwards: false })
    if (stores.length <= mostStores) return stores
    const details = `the token sees more than ${mostStores} stores: name at most ${mostStores} of them in storeUuids`
    throw invalidRequest([{ field: 'storeUuids', details }])
  }
  const uuids = [...new Set(storeUuids.map((uuid) => requireVisible(catalogue, uuid, 'storeUuids')))]
  const found = await findStores(catalogue, uuids)
  return uuids.map((uuid) => {
    const store = found.get(uuid)
    if (!store) throw storeNotFound('storeUuids', uuid)
    return store
  })
}
