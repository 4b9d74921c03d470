import { sql } from 'kysely'
import type { Catalogue } from '../catalogue.ts'
import { type Change, isOfCatalogue } from '../changes/change.ts'
import { defaultAssetFormat } from '../enumerations.ts'
import { countStatuses } from '../products/find-products.ts'
import { type RowsRequest, rowsOfStores } from './rows-of-stores.ts'

/** The number of products of each store by status. */
export function listStatusRows(catalogue: Catalogue, request: RowsRequest) {
  return rowsOfStores(catalogue, request, ({ storeUuid }) => countStatuses(catalogue, storeUuid))
}

interface Coverage {
  channel: string
  assetFormat: string
  groups: number
}

/**
 * The number of asset groups of each store by channel and format, with the number of its products. A channel of the
 * store without groups has a row with 0 groups.
 */
export function listCoverageRows(catalogue: Catalogue, request: RowsRequest) {
  return rowsOfStores(catalogue, request, async ({ storeUuid, channels }) => {
    const { rows } = await sql<Coverage>`
      select channel, asset_format as "assetFormat", sum(groups)::int as groups from asset_group_total
      where store_uuid = ${storeUuid}
      group by channel, asset_format having sum(groups) > 0
      order by channel, asset_format`.execute(catalogue.db)
    const counts = await countStatuses(catalogue, storeUuid)
    const products = counts.reduce((sum, { count }) => sum + count, 0)
    const seen = new Set(rows.map(({ channel }) => channel))
    const empty = channels.filter((channel) => !seen.has(channel))
    const all = [...rows, ...empty.map((channel) => ({ channel, assetFormat: defaultAssetFormat, groups: 0 }))]
    return all.map((row) => ({ ...row, products }))
  })
}

type ReportedChange = Pick<
  Change,
  'at' | 'requestId' | 'actor' | 'via' | 'operation' | 'kind' | 'action' | 'failed'
> & {
  items: number
}

/** The last changes of each store without their codes, including those that the feed does not show yet. */
export function listChangeRows(catalogue: Catalogue, request: RowsRequest) {
  return rowsOfStores(catalogue, request, async ({ storeUuid }, { limit, since }) => {
    const { rows } = await sql<ReportedChange>`
      select at, request_id as "requestId", actor, via, operation, kind, action, items, failed from change
      where store_uuid = ${storeUuid} and ${isOfCatalogue} and (${since}::timestamptz is null or at >= ${since})
      order by tx desc, seq desc, at desc limit ${limit}`.execute(catalogue.db)
    return rows
  })
}
