import { sql } from 'kysely'
import type { Catalogue } from '../../catalogue.ts'
import { changedSince } from '../../changes/recent-products.ts'
import { containing } from '../../conditions.ts'
import type { ProductFilter } from './product-filter.ts'
import { hasSubstring } from './related.ts'
import type { Source } from './source.ts'

/** A substring that so many of the store's first `probed` codes have is common: products are read in order. */
const probed = 2_000
const common = 40
/** A substring is rare if at most so many products have it. */
const maxCodes = 5_000

/** A substring without three such characters in a row is in no index. */
const indexed = /[a-z0-9]{3}/i

/** The filter with codes that include all that match, if a search or the ledger tells them and they are few. */
export async function withKnownCodes(
  catalogue: Catalogue,
  source: Source,
  filter: ProductFilter,
): Promise<ProductFilter> {
  if (filter.codes != null) return filter
  const found = filter.search == null ? undefined : await codesWith(catalogue, source, filter.search)
  if (found) return { ...filter, search: undefined, codes: found }
  const from = filter.updatedAt?.from
  const changed = from && (await changedSince(catalogue, source.uuid, from))
  return changed ? { ...filter, codes: changed } : filter
}

/** The codes of the products that have a substring, if few of many do. Whether it is common is found first. */
async function codesWith({ db }: Catalogue, source: Source, search: string): Promise<string[] | undefined> {
  const { uuid, searched } = source
  if (!indexed.test(search) || (searched?.length ?? 0) > 0) return undefined
  const { rows: probes } = await sql<{ isRare: boolean }>`
    select count(*) = ${probed} and count(*) filter (where ${hasSubstring(source, search)}) < ${common} as "isRare"
    from (
      select product_code from product where store_uuid = ${uuid} order by product_code limit ${probed}
    ) p`.execute(db)
  if (!probes[0]?.isRare) return undefined
  const { rows } = await sql<{ code: string }>`
    select codes_like(${uuid}::uuid, ${containing(search)}, ${searched === undefined}, ${maxCodes + 1}) as code`.execute(
    db,
  )
  return rows.length <= maxCodes ? rows.map(({ code }) => code) : undefined
}
