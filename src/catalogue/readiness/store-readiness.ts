import { sql } from 'kysely'
import { invalidRequest } from '../../errors.ts'
import { shown } from '../../text.ts'
import { type Catalogue, visibleStore } from '../catalogue.ts'
import { allOf, type KeysetPage, keysetConditions } from '../conditions.ts'
import { productsMetric, readyProductsMetric } from '../dashboards/metrics.ts'
import { listSeries, type Metric, type SeriesRequest } from '../dashboards/series.ts'
import { findProducts, type Product } from '../products/find-products.ts'
import { productTotalAsOf, projectionTime } from '../projections/as-of.ts'
import { requiredMask } from './counts.ts'
import type { Requirement } from './requirements.ts'

/** Readiness of the products of a store for a channel. */
export interface StoreReadiness {
  storeUuid: string
  channel: string
  /** The counted requirements, before the first count those to be counted. */
  requirements: Requirement[]
  /** Undefined before the first count is complete. */
  counted: { build: number; total: number; ready: number; blocked: number; missing: number[]; asOf: Date } | undefined
  /** Whether all products are being counted, for new requirements or again. */
  isCounting: boolean
}

type Row = { wanted: Requirement[]; requirements: Requirement[] | null } & NonNullable<StoreReadiness['counted']>

/**
 * Undefined if the channel has no requirements. Of products that were created after `asOf`, `blocked` may already count
 * some that `total` does not.
 */
export async function findStoreReadiness(
  catalogue: Catalogue,
  storeUuid: string,
  channel: string,
): Promise<StoreReadiness | undefined> {
  const uuid = visibleStore(catalogue, storeUuid)
  await catalogue.waitForProjections?.(storeUuid)
  const { rows } = await sql<Row>`
    select w.requirements as wanted, c.requirements, c.build, t.total, greatest(t.total - c.blocked, 0) as ready,
      c.blocked, c.missing, t.as_of as "asOf"
    from channel_requirement w
      left join channel_readiness c on c.store_uuid = ${uuid} and c.channel = ${channel} and c.state = 'current'
      cross join (
        select ${productTotalAsOf(uuid, 'READINESS')} as total, ${projectionTime(uuid, 'READINESS')} as as_of
      ) t
    where w.store_uuid = ${uuid} and w.channel = ${channel}`.execute(catalogue.db)
  const [row] = rows
  if (!row) return undefined
  const { wanted, requirements, ...counted } = row
  const isCounting = JSON.stringify(wanted) !== JSON.stringify(requirements)
  const common = { storeUuid, channel, isCounting }
  return requirements ? { ...common, requirements, counted } : { ...common, requirements: wanted, counted: undefined }
}

/**
 * The mask of one requirement, or of all that are required. Throws `invalid_request` for an unknown name.
 */
export function gapMask({ requirements }: StoreReadiness, requirement: string | null | undefined): bigint {
  if (requirement == null) return requiredMask(requirements)
  const bit = requirements.findIndex(({ code }) => code === requirement)
  if (bit >= 0) return 1n << BigInt(bit)
  const known = requirements.map(({ code }) => code).join(', ')
  const details = `requirement must be one of ${known}; got ${shown(requirement)}`
  throw invalidRequest([{ field: 'requirement', details }])
}

/** The number of products that do not meet a requirement, or a required one; 0 before the first count. */
export function countGaps({ requirements, counted }: StoreReadiness, requirement: string | null | undefined): number {
  const bit = requirements.findIndex(({ code }) => code === requirement)
  return (requirement == null ? counted?.blocked : counted?.missing[bit]) ?? 0
}

/** A page of the products that have a gap of the mask, ordered by code. */
export async function listGaps(
  catalogue: Catalogue,
  { storeUuid, channel, counted }: StoreReadiness,
  mask: bigint,
  page: KeysetPage,
): Promise<Product[]> {
  const uuid = visibleStore(catalogue, storeUuid)
  if (!counted) return []
  const direction = page.backwards ? sql`desc` : sql`asc`
  const { rows } = await sql<{ code: string }>`
    select g.product_code as code from product_gap g cross join lateral (
      select from product where store_uuid = ${uuid} and product_code = g.product_code offset 0
    ) p
    where g.store_uuid = ${uuid} and g.channel = ${channel} and g.build = ${counted.build}
      and g.mask & ${String(mask)}::bigint <> 0 and ${allOf(keysetConditions(page, 'g.product_code'))}
    order by g.product_code ${direction} limit ${page.limit}`.execute(catalogue.db)
  const codes = rows.map(({ code }) => code)
  const products = new Map((await findProducts(catalogue, storeUuid, codes)).map((one) => [one.productCode, one]))
  return codes.flatMap((code) => products.get(code) ?? [])
}

/** The numbers of a store at the end of an interval. */
export interface ReadinessPoint {
  time: Date
  total: number
  ready: number
}

const maxPoints = 1_000

/**
 * The numbers at the end of each interval, from that of `from` to that of `to`, not after now; none before the first
 * count. Throws `invalid_request`.
 */
export async function listReadinessHistory(
  catalogue: Catalogue,
  { storeUuid, channel }: Pick<StoreReadiness, 'storeUuid' | 'channel'>,
  times: Pick<SeriesRequest, 'from' | 'to' | 'intervalMs'>,
): Promise<ReadinessPoint[]> {
  const request = { ...times, storeUuids: [storeUuid], by: [], maxPoints }
  const totals = await listSeries(catalogue, productsMetric, request)
  const ready = await listSeries(catalogue, readyOn(channel), request)
  return totals.flatMap(({ time, value: total }, i) => {
    const known = ready[i]?.value ?? null
    // The number of ready products may be a moment older than the total.
    return total === null || known === null ? [] : [{ time, total, ready: Math.min(known, total) }]
  })
}

function readyOn(channel: string): Metric {
  return {
    ...readyProductsMetric,
    read: async (catalogue, uuid, buckets) => {
      const rows = await readyProductsMetric.read(catalogue, uuid, buckets, ['channel'])
      return rows.filter(({ labels }) => labels[0] === channel)
    },
  }
}
