import { type RawBuilder, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { type CopyValue, copyText, type Session } from '../database/copy.ts'
import { CodeSpan } from './code-span.ts'
import { linkItems } from './link-items.ts'
import { linesOf, loadNewGroups, NewGroupLines, type Target } from './load-new-groups.ts'
import { lockGroups } from './locks.ts'
import { missingAssets } from './missing-assets.ts'
import type { NewUrls } from './new-urls.ts'
import { storeKey } from './store-key.ts'
import type { WriteView } from './viewer.ts'

/** What was made: assets that the store did not have, and links. */
interface Loaded {
  added: number
  linked: number
}

/** The assets that a row brings for its product, each once, in order. */
export interface LoadedRow {
  parentCode: string
  assets: readonly { assetFormat: string; url: string }[]
}

/**
 * Creates assets and links them at the end of their groups as `addAssets` does, by way of `COPY`. An asset is the store's of that format and
 * URL, or a new one; a URL that is in the group already is left alone. Where no product has a group yet, as in a first import, everything goes straight into the
 * tables. Twelve statements at most, whatever their number.
 */
export async function loadAssets(
  session: Session,
  transaction: WriteView,
  assets: LoadedAssets,
  newUrls: NewUrls,
): Promise<Loaded> {
  const { target, rows, prepared, hasReturned } = assets
  if (rows.length === 0) return { added: 0, linked: 0 }
  await lockGroups(transaction, new Map([[target.storeUuid, 'all']]))
  const isBeyond = await isBeyondLinks(transaction, assets)
  const missing = isBeyond ? rows : await missingAssets(transaction, target, rows)
  if (missing.length === 0) return { added: 0, linked: 0 }
  if (!hasReturned && (isBeyond || !(await hasGroups(transaction, target, missing)))) {
    const lines = (missing.length === rows.length && prepared) || linesOf(target, missing)
    return loadNewGroups(session, transaction, target, { rows: missing, prepared: lines, newUrls })
  }
  await sql`truncate loaded_asset`.execute(transaction)
  await session.copy('loaded_asset', copyText(stagedRows(missing)))
  return linkItems(transaction, target.storeUuid, identified(target))
}

/** Assets to link at the ends of their products' groups, in order: judged already, each once in what is added for a product at a time. */
export class LoadedAssets {
  readonly target: Target
  readonly rows: LoadedRow[] = []
  /** What is written if nothing of it is there, where that is likely. */
  readonly prepared: NewGroupLines | undefined
  /** Whether assets of a product came after those of another. */
  hasReturned = false
  readonly span = new CodeSpan()
  private readonly parents = new Set<string>()

  constructor(target: Target, isLikelyNew: boolean) {
    this.target = target
    this.prepared = isLikelyNew ? new NewGroupLines(target) : undefined
  }

  add(parentCode: string, assets: LoadedRow['assets']): void {
    if (assets.length === 0) return
    this.hasReturned ||= this.parents.has(parentCode)
    this.parents.add(parentCode)
    this.span.add(parentCode)
    const row = { parentCode, assets: distinct(assets) }
    this.rows.push(row)
    if (!this.hasReturned) this.prepared?.add(row)
  }
}

function distinct(assets: LoadedRow['assets']): LoadedRow['assets'] {
  if (assets.length === 1) return assets
  const known = new Map<string, Set<string>>()
  return assets.filter(({ assetFormat, url }) => {
    const urls = known.get(assetFormat) ?? new Set()
    known.set(assetFormat, urls)
    return urls.size < urls.add(url).size
  })
}

function* stagedRows(rows: readonly LoadedRow[]): Generator<CopyValue[]> {
  let index = 0
  for (const { parentCode, assets } of rows) {
    for (const { assetFormat, url } of assets) yield [index++, parentCode, assetFormat, url]
  }
}

/** The rows as items to link. New assets have version 7 UUIDs that count on from one of their own: they are neighbours in the index. */
function identified({ storeUuid, channel }: Target): RawBuilder<unknown> {
  const id = uuidv7()
  return sql`
      select l.index, u.known is null and u.first = l.index as is_new, ${channel} collate "C" as channel, l.parent_code,
        l.asset_format, l.url,
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

/** Whether no link of the store lies between the first of the products' codes and the last: one look, as in `hasProducts`. */
async function isBeyondLinks(db: WriteView, { target, span }: LoadedAssets): Promise<boolean> {
  const ends = span.ends()
  if (!ends) return false
  const { rows } = await sql<{ next: string }>`
    select parent_code as next from asset_link
    where store_uuid = ${storeKey(target.storeUuid)} and parent_code >= (select ${ends.first}::text collate "C")
    order by store_uuid, parent_code limit 1`.execute(db)
  return !rows[0] || rows[0].next > ends.last
}

/** Whether one of the products has a group on the channel. */
async function hasGroups(
  db: WriteView,
  { storeUuid, channel }: Target,
  loaded: readonly LoadedRow[],
): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from unnest(${loaded.map(({ parentCode }) => parentCode)}::text[]) as c(code) cross join lateral (
        select from asset_link
        where store_uuid = ${storeKey(storeUuid)} and parent_code = code collate "C" and channel = ${channel}
        limit 1
      ) l
    ) as found`.execute(db)
  return rows[0]?.found ?? false
}
