import { type RawBuilder, sql } from 'kysely'
import { containing } from '../../conditions.ts'
import { hasText, searchedText } from '../../product-text/searched-text.ts'
import type { AssetPresence } from './product-filter.ts'
import type { Source } from './source.ts'

type Condition = RawBuilder<boolean>

/** Whether the code of a product `p`, or the value of a searchable attribute, has a substring. */
export function hasSubstring({ uuid, searched }: Pick<Source, 'uuid' | 'searched'>, search: string): Condition {
  const inCode = sql<boolean>`p.product_code collate "default" ilike ${containing(search)}`
  if (searched?.length === 0) return inCode
  if (searched) return sql<boolean>`(${inCode} or ${hasText(searchedText(searched), search)})`
  // Unlike `exists`, PostgreSQL never evaluates it for the whole store beforehand.
  return sql<boolean>`(${inCode} or (
      select ${hasText(sql`t.text`, search)} from product_text t
      where t.store_uuid = ${uuid} and t.product_code = p.product_code
    ) is true)`
}

export function withAssets(uuid: string | null, { channel, assetFormat }: AssetPresence): Condition {
  return sql<boolean>`exists (
      select from asset_group g
      where g.store_uuid = ${uuid} and g.channel = ${channel ?? 'SMP'} and g.asset_format = ${assetFormat ?? 'image'}
        and g.parent_code = p.product_code
    )`
}

/** Whether a product has been counted as blocked on a channel. */
export function isBlocked(uuid: string | null, channel: string): Condition {
  return sql<boolean>`exists (
      select from product_gap g join channel_readiness c
        on c.store_uuid = ${uuid} and c.channel = ${channel} and c.build = g.build and c.state = 'current'
      where g.store_uuid = ${uuid} and g.channel = ${channel} and g.product_code = p.product_code
        and g.mask & c.required <> 0
    )`
}

/** Whether a product has been counted as not blocked: none has where nothing is counted. */
export function isReady(uuid: string | null, channel: string): Condition {
  return sql<boolean>`(
      exists (
        select from channel_readiness c
        where c.store_uuid = ${uuid} and c.channel = ${channel} and c.state = 'current'
      ) and not ${isBlocked(uuid, channel)}
    )`
}
