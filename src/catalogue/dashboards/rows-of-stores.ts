import type { Catalogue } from '../catalogue.ts'
import { storesToRead } from '../stores/list-stores.ts'
import type { Store } from '../stores/stores.ts'

/** Number of stores that are read at a time. */
const atOnce = 4

/** The stores to read rows of: undefined or null means all of the viewer. At most `limit` rows. */
export interface RowsRequest {
  storeUuids?: readonly string[] | null | undefined
  limit: number
}

type RowStore = Pick<Store, 'storeUuid' | 'storeName'>

/** The part of a store's rows to read: at most `limit` rows, none older than `since`. */
export interface RowsPart {
  limit: number
  since: Date | null
}

/**
 * The rows of each store with its name, read by one statement a store: in the order of the stores, or the newest first
 * if rows have a time. Once there are `limit` rows, only newer ones are read, and none if rows have no time. Throws
 * `store_not_found`, or `invalid_request` for too many stores.
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
