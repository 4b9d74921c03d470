import { sql } from 'kysely'
import type { WriteCatalogue } from '../catalogue.ts'
import { applyTo } from './product-index.ts'
import { assignSlots, findSlots } from './slots.ts'

/** How many products a step reads at most. */
const stepSize = 1_000

/**
 * Builds the attributes of a store that are not built yet for the next products by code, or deletes some rows if the
 * store declares no attribute any more. Returns whether there is more to do. The caller holds the store's lock of
 * projections.
 */
export async function buildStep(work: WriteCatalogue, storeUuid: string): Promise<boolean> {
  await assignSlots(work, storeUuid)
  const slots = await findSlots(work, storeUuid)
  if (slots.length === 0) return deleteSome(work, storeUuid)
  const [from] = slots.flatMap(({ builtTo }) => builtTo ?? []).toSorted(byCodePoints)
  if (from === undefined) return false
  const codes = await nextCodes(work, storeUuid, from)
  await applyTo(slots, work, storeUuid, codes)
  const last = codes.length < stepSize ? null : (codes.at(-1) ?? null)
  await sql`
    update product_index_slot set built_to = ${last}, built = built + (
      select count(*) from unnest(${codes}::text[]) code where code collate "C" > built_to)
    where store_uuid = ${storeUuid}
      and (built_to <= ${last} or ${last}::text is null)`.execute(work.db)
  return last !== null
}

/** The next codes of products, and of rows: a product may have been deleted while the store declared no attribute. */
async function nextCodes({ db }: WriteCatalogue, storeUuid: string, from: string): Promise<string[]> {
  const next = (table: string) => sql`(
    select product_code as code from ${sql.table(table)} where store_uuid = ${storeUuid} and product_code > ${from}
    order by product_code limit ${stepSize})`
  const { rows } = await sql<{ code: string }>`
    ${next('product')} union ${next('product_index')} order by code limit ${stepSize}`.execute(db)
  return rows.map(({ code }) => code)
}

async function deleteSome({ db }: WriteCatalogue, storeUuid: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from product_index where store_uuid = ${storeUuid} and product_code = any(array(
      select product_code from product_index where store_uuid = ${storeUuid}
      order by product_code limit ${stepSize}))`.execute(db)
  return numAffectedRows === BigInt(stepSize)
}

function byCodePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
