import { sql } from 'kysely'
import type { LoadedRow } from './load-assets.ts'
import { storeKey } from './store-key.ts'
import type { WriteView } from './viewer.ts'

/**
 * The rows that bring a URL which is not in the product's group of its format on the channel, as the read model has it: the others change nothing. One statement,
 * which reads the groups by their keys.
 */
export async function missingAssets(
  db: WriteView,
  { storeUuid, channel }: { storeUuid: string; channel: string },
  rows: readonly LoadedRow[],
): Promise<readonly LoadedRow[]> {
  const formats = new Set(rows.flatMap(({ assets }) => assets.map(({ assetFormat }) => assetFormat)))
  const codes = new Set(rows.map(({ parentCode }) => parentCode))
  const { rows: groups } = await sql<{ asset_format: string; parent_code: string; entries: string }>`
    select g.asset_format, g.parent_code, g.entries
    from unnest(${[...formats]}::text[]) as f(asset_format) cross join unnest(${[...codes]}::text[]) as c(parent_code)
      cross join lateral (
        select asset_format, parent_code, entries from asset_group
        where store_uuid = ${storeKey(storeUuid)} and channel = ${channel}
          and asset_format = f.asset_format collate "C" and parent_code = c.parent_code collate "C"
        offset 0
      ) g`.execute(db)
  const entriesOf = new Map<string, Map<string, string>>([...formats].map((format) => [format, new Map()]))
  for (const { asset_format, parent_code, entries } of groups) entriesOf.get(asset_format)?.set(parent_code, entries)
  return rows.filter(({ parentCode, assets }) =>
    assets.some(({ assetFormat, url }) => !hasUrl(entriesOf.get(assetFormat)?.get(parentCode), url)),
  )
}

/** The URL is the last field of its entry. No text has an unescaped quote in it, so that this is found nowhere else. */
function hasUrl(entries: string | undefined, url: string): boolean {
  return entries?.includes(`:${JSON.stringify(url)}}`) ?? false
}
