import { type Kysely, type RawBuilder, sql } from 'kysely'
import { onlyRow } from '../../database/only-row.ts'
import type { Database } from '../../database/tables.ts'
import type { Catalogue, WriteCatalogue } from '../catalogue.ts'
import type { ProjectionName } from './projection.ts'

/** The largest number of products in a step, and in a row of the queue. */
const maxCodes = 1_000
/** The largest number of rows of the queue in a step. */
const maxRows = 1_000

/** A row of the queue: products of a store that were changed at one time. */
export interface Changed {
  at: Date
  delta: number
  codes: string[]
  /** Null: for all projections. */
  projection: ProjectionName | null
}

interface QueuedStore {
  uuid: string
  /** The time of the oldest change; infinity where there is none. */
  oldest: number | Date
  /** Whether something is to be built. */
  isBuilding: boolean
}

/** The stores with something in the queue that need not wait. */
export async function listQueuedStores({ db }: Catalogue): Promise<QueuedStore[]> {
  const { rows } = await sql<QueuedStore>`
    select store as uuid, oldest, is_building as "isBuilding" from queued_stores()`.execute(db)
  return rows
}

/** How many changed products are in the queue, each as often as it was changed, and for how many seconds the oldest. */
export async function readQueue(db: Kysely<Database>): Promise<{ products: number; seconds: number }> {
  const { rows } = await sql<{ products: number; seconds: number }>`
    select products, seconds from queue_state()`.execute(db)
  return onlyRow(rows)
}

/** Takes the first changed products of a store out of the queue. The caller holds the store's lock. */
export async function takeChanged({ db }: WriteCatalogue, storeUuid: string): Promise<Changed[]> {
  // As JSON: Node parses a thousand codes of an array 20 times as slowly. Citus has only immutable functions in
  // `returning`.
  const { rows } = await sql<Changed>`
    with taken as (
      delete from product_dirty where store_uuid = ${storeUuid} and seq = any(array(
        select seq from (
          select seq, items, sum(items) over (order by seq) as codes from (
            select seq, items from product_dirty
            where store_uuid = ${storeUuid} and at < 'infinity' and (not_before is null or not_before <= now())
            order by seq limit ${maxRows}
          ) d
        ) d
        where codes <= ${maxCodes} or codes = items))
      returning at, delta, codes, projection
    )
    select at, delta, to_json(codes) as codes, projection from taken`.execute(db)
  return rows
}

/** Whether there are probably more than those that were taken. */
export function isFull(changed: readonly Changed[]): boolean {
  return changed.length === maxRows || changed.reduce((sum, { codes }) => sum + codes.length, 0) > maxCodes / 2
}

/** Puts products back for one projection; they wait for `pauseMs` at least. */
export async function putBack(
  { db }: WriteCatalogue,
  storeUuid: string,
  { at, delta, codes, projection }: Changed,
  pauseMs: number,
): Promise<void> {
  await sql`
    insert into product_dirty (store_uuid, at, delta, codes, projection, not_before)
    values (${storeUuid}, ${at}, ${delta}, ${codes}::text[], ${projection},
      now() + ${pauseMs / 1_000} * interval '1 second')`.execute(db)
}

/** Makes the follower look for what is to be built for a store, in the transaction that makes this necessary. */
export async function requestBuild({ db }: WriteCatalogue, storeUuid: string): Promise<void> {
  await sql`insert into product_dirty (store_uuid, at, codes) values (${storeUuid}, 'infinity', '{}')`.execute(db)
}

/** The `seq` of the requests to build for a store: what they are about is committed. */
export async function listBuildRequests({ db }: WriteCatalogue, storeUuid: string): Promise<string[]> {
  const { rows } = await sql<{ seq: string }>`
    select seq::text as seq from product_dirty where store_uuid = ${storeUuid} and at = 'infinity'`.execute(db)
  return rows.map(({ seq }) => seq)
}

export async function deleteBuildRequests({ db }: WriteCatalogue, storeUuid: string, seqs: string[]): Promise<void> {
  await sql`delete from product_dirty where store_uuid = ${storeUuid} and seq = any(${seqs}::bigint[])`.execute(db)
}

export async function pauseBuild({ db }: Catalogue, storeUuid: string, pauseMs: number): Promise<void> {
  await sql`
    update product_dirty set not_before = now() + ${pauseMs / 1_000} * interval '1 second'
    where store_uuid = ${storeUuid} and at = 'infinity'`.execute(db)
}

/** SQL: a query for the codes of a store's products in the queue, with those that are to wait. */
export const queuedCodes = (storeUuid: string): RawBuilder<{ code: string }> =>
  sql`select distinct code from product_dirty d cross join unnest(d.codes) code where d.store_uuid = ${storeUuid}`
