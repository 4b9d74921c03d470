import { type RawBuilder, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { CopyRows, type Session } from '../database/copy.ts'
import { linkItems } from './link-items.ts'
import { lockGroups } from './locks.ts'
import { addGroups } from './read-model.ts'
import { storeKey } from './store-key.ts'
import { storedWord } from './url-fields.ts'
import type { WriteView } from './viewer.ts'

interface Target {
  storeUuid: string
  channel: string
}

/** What was made: assets that the store did not have, and links. */
interface Loaded {
  added: number
  linked: number
}

/**
 * Creates assets and links them at the end of their groups as `addAssets` does, by way of `COPY`. An asset is the store's of that format and
 * URL, or a new one. Where no product has a group yet, as in a first import, the groups are written as they come. Five statements, whatever their number.
 */
export async function loadAssets(
  session: Session,
  transaction: WriteView,
  target: Target,
  assets: LoadedAssets,
): Promise<Loaded> {
  if (assets.count === 0) return { added: 0, linked: 0 }
  await lockGroups(transaction, new Map([[target.storeUuid, 'all']]))
  await sql`truncate loaded_asset`.execute(transaction)
  await session.copy('loaded_asset', assets.rows)
  const items = identified(target)
  if (assets.hasReturned || (await hasGroups(transaction, target))) {
    return linkItems(transaction, target.storeUuid, items)
  }
  return linkFirst(transaction, target, items)
}

/** Assets to link at the ends of their products' groups, in order: judged already, each once in what is added for a product at a time. */
export class LoadedAssets {
  readonly rows = new CopyRows()
  count = 0
  /** Whether assets of a product came after those of another. */
  hasReturned = false
  private readonly parents = new Set<string>()

  add(parentCode: string, assets: readonly { assetFormat: string; url: string }[]): void {
    if (assets.length === 0) return
    this.hasReturned ||= this.parents.has(parentCode)
    this.parents.add(parentCode)
    const places = new Map<string, number>()
    const seen = new Set<string>()
    for (const { assetFormat, url } of assets) {
      const key = `${assetFormat} ${url}`
      if (seen.has(key)) continue
      seen.add(key)
      const nth = (places.get(assetFormat) ?? 0) + 1
      places.set(assetFormat, nth)
      this.rows.add([this.count++, parentCode, assetFormat, url, seen.size, nth])
    }
  }
}

/** The rows as items to link. New assets have version 7 UUIDs that count on from one of their own: they are neighbours in the index. */
function identified({ storeUuid, channel }: Target): RawBuilder<unknown> {
  const id = uuidv7()
  return sql`
      select l.index, u.known is null and u.first = l.index as is_new, ${channel} collate "C" as channel, l.parent_code,
        l.asset_format, l.url, l.place, l.nth,
        coalesce(u.known, ${id.slice(0, 24)} || lpad(to_hex(u.first), 6, '0') || ${id.slice(30)}) collate "C" as asset_id
      from loaded_asset l join (
        select n.asset_format, n.url, n.first, (
          select min(a.asset_id) from asset a
          where a.store_uuid = ${storeKey(storeUuid)} and hashtextextended(a.url, 0) = hashtextextended(n.url, 0)
            and a.url = n.url and a.asset_format = n.asset_format
        ) as known
        from (select asset_format, url, min(index) as first from loaded_asset group by asset_format, url) n
        offset 0
      ) u using (asset_format, url)
      order by l.index`
}

async function hasGroups(db: WriteView, { storeUuid, channel }: Target): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from (select distinct parent_code from loaded_asset) p cross join lateral (
        select from asset_link l
        where l.store_uuid = ${storeKey(storeUuid)} and l.parent_code = p.parent_code and l.channel = ${channel}
        limit 1
      ) l
    ) as found`.execute(db)
  return rows[0]?.found ?? true
}

/** Makes the assets that are new, and the links and groups of products that have none. */
async function linkFirst(db: WriteView, { storeUuid }: Target, items: RawBuilder<unknown>): Promise<Loaded> {
  const additions = sql`
    item as materialized (${items}
    ), new_asset as (
      insert into asset (store_uuid, asset_id, asset_format, url)
      select ${storeUuid}::uuid, asset_id, asset_format, url from item where is_new
      returning asset_id
    ), new_link as (
      insert into asset_link (store_uuid, parent_code, channel, asset_id, place)
      select ${storeUuid}::uuid, parent_code, channel, asset_id, place from item
      returning asset_id
    ), added as (
      select ${storeUuid}::uuid as store_uuid, channel, asset_format, parent_code, nth, ${storedWord} as word,
        to_json(asset_id)::text as asset_id, to_json(url)::text as url
      from item
    )`
  const answer = sql<Loaded>`
    (select count(*)::int from new_asset) as added, (select count(*)::int from new_link) as linked`
  return (await addGroups(db, storeUuid, additions, answer)) ?? { added: 0, linked: 0 }
}
