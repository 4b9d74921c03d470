import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { CatalogueError } from '../../errors.ts'
import { shown } from '../../text.ts'
import { changeGroups } from '../asset-groups/change-groups.ts'
import { assetsByUrl, placeLinks } from '../asset-groups/read-model.ts'
import { BoundedFailures, brief, type ItemFailure } from '../bounded-failures.ts'
import type { WriteCatalogue } from '../catalogue.ts'
import { createdAssets, createdLinks, movedLinks } from '../changes/record-changes.ts'
import { type Enumerations, oneOfFault, requireOneOf } from '../enumerations.ts'
import { lockStore } from '../locks.ts'
import { codeFault } from './add-assets.ts'
import { applyPositions, type PlacedAsset, type UrlPosition } from './positions.ts'
import { parseUrlField, urlFault, urlField } from './url-fields.ts'

/** URLs to put into a group, by URL fields such as `Image URL 2`. The values may have any type. */
export interface Placement {
  parentCode: string
  assetFormat: string
  assets: Readonly<Record<string, unknown>>
}

/**
 * Inserts assets at the positions that their URL fields name; later assets move back. A URL that the store has keeps
 * its asset id; a URL that the group has moves. Each entry fails by itself. Throws `store_not_found`,
 * `payload_too_large`, or `invalid_request` for an unknown channel.
 */
export async function placeAssets(
  catalogue: WriteCatalogue,
  enumerations: Enumerations,
  target: { storeUuid: string; channel: string },
  placements: readonly Placement[],
) {
  requireOneOf('channel', target.channel, enumerations.channels)
  const failures = new BoundedFailures<ItemFailure>()
  const positions = placements.flatMap((placement, index) => {
    const { parentCode } = placement
    return validEntries(enumerations, placement, (details) =>
      failures.add({ reason: 'invalid_request', details: brief(details), index, channel: target.channel, parentCode }),
    )
  })
  const names = positions.flatMap(({ parentCode, url }) => [parentCode, url])
  const storeUuid = await lockStore(catalogue, target.storeUuid, { groups: names })
  const current = await readGroups(catalogue, storeUuid, target.channel, positions)
  const { assets, created, moved } = applyPositions(current, positions, uuidv7)
  if (assets.length > 0)
    await writePlaces(catalogue, storeUuid, target.channel, assets, failures.kept.length + failures.more)
  return { created, updated: moved, failures: failures.kept, more: failures.more }
}

/** The valid entries of a placement in the order of their positions. Calls `fail` with the fault of each other one. */
function validEntries(
  enumerations: Enumerations,
  placement: Placement,
  fail: (details: string) => void,
): UrlPosition[] {
  const { parentCode, assetFormat } = placement
  const wrongFormat = oneOfFault(assetFormat, enumerations.assetFormats)
  const wrongCode = codeFault(parentCode)
  if (wrongFormat) fail(`assetFormat ${wrongFormat}`)
  else if (wrongCode) fail(`parentCode ${wrongCode}`)
  if (wrongFormat || wrongCode) return []
  const entries: UrlPosition[] = []
  for (const [name, url] of Object.entries(placement.assets)) {
    const field = parseUrlField([assetFormat], name)
    const wrongUrl = urlFault(url)
    if (!field) fail(`${shown(name)} must be a URL field such as ${urlField(assetFormat, 1)}`)
    else if (wrongUrl) fail(`${name} ${wrongUrl}`)
    else entries.push({ parentCode, assetFormat, url: String(url), position: field.position })
  }
  return entries.sort((a, b) => a.position - b.position)
}

/** How many assets the groups of a request may have: all of them are read and written. */
const maxPlaces = 10_000

/** The assets of the groups in order, and the store's assets of the URLs, which have no parent code. */
async function readGroups(
  catalogue: WriteCatalogue,
  storeUuid: string,
  channel: string,
  positions: readonly UrlPosition[],
): Promise<PlacedAsset[]> {
  if (positions.length === 0) return []
  const parents = [...new Set(positions.map(({ parentCode }) => parentCode))]
  const urls = [...new Set(positions.map(({ url }) => url))]
  const { rows } = await sql<PlacedAsset>`
    with linked as materialized (
      select l.* from unnest(${parents}::text[]) as p(parent_code) cross join lateral (
        select parent_code, asset_id, place from asset_link
        where store_uuid = ${storeUuid} and parent_code = p.parent_code collate "C" and channel = ${channel}
        offset 0
      ) l limit ${maxPlaces}::bigint + 1
    )
      select l.parent_code as "parentCode", a.asset_format as "assetFormat", l.asset_id as "assetId", a.url, l.place
      from linked l cross join lateral (
        select asset_format, url from asset where store_uuid = ${storeUuid} and asset_id = l.asset_id
        offset 0
      ) a
      where (select count(*) from linked) <= ${maxPlaces}::bigint
    union all
      select null, known.*, null from (${assetsByUrl(storeUuid, urls)}) known
    union all
      select null, null, null, null, count(*)::integer from linked having count(*) > ${maxPlaces}::bigint
    order by "parentCode", place, "assetId"`.execute(catalogue.db)
  if (rows.some(({ assetId }) => assetId === null)) throw tooManyPlaces()
  return rows
}

function tooManyPlaces(): CatalogueError {
  const details = `the groups in which assets are placed may have ${maxPlaces} assets together; they have more: name fewer groups, or add the assets at the end, by addAssets, and move them`
  return new CatalogueError('payload_too_large', [{ details }])
}

async function writePlaces(
  catalogue: WriteCatalogue,
  storeUuid: string,
  channel: string,
  assets: readonly PlacedAsset[],
  failed: number,
): Promise<void> {
  const reads = sql`
    remaining as materialized (
      select ${channel} collate "C" as channel, "assetFormat" collate "C" as asset_format,
        "parentCode" collate "C" as parent_code, "assetId" collate "C" as asset_id, url collate "C" as url, was, place
      from jsonb_to_recordset(${JSON.stringify(assets)}::jsonb)
        as i("parentCode" text, "assetFormat" text, "assetId" text, url text, was integer, place integer)
    )`
  const writes = sql`
    made as (
      insert into asset (store_uuid, asset_id, asset_format, url)
      select distinct ${storeUuid}::uuid, asset_id, asset_format, url from remaining
      order by asset_id
      on conflict (store_uuid, asset_id) do nothing
      returning asset_id
    ), placed as (${placeLinks(storeUuid, sql`remaining`)})`
  const items = sql`
    ${createdAssets(sql`select asset_id from made`)} union all
    ${createdLinks(sql`select * from remaining where was is null`)} union all ${movedLinks(sql`remaining`)}`
  await changeGroups(catalogue, storeUuid, { reads, links: sql`remaining`, writes, items }, sql`1`, failed)
}
