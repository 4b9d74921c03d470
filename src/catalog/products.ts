import { sql } from 'kysely'
import { requireDefinitions } from './attribute-definitions.ts'
import { attributeJudge } from './attribute-rules.ts'
import { lockProducts } from './lock-products.ts'
import { type FailedProduct, type GoodPatch, judgePatches, type ProductPatch } from './product-patches.ts'
import type { WriteView } from './viewer.ts'

export interface UpdatedProducts {
  storeUuid: string
  updatedSkus: string[]
  unavailableSkus: string[]
  failedProducts: FailedProduct[]
}

export interface UpsertedProducts {
  storeUuid: string
  createdSkus: string[]
  /** Products that existed, whether the patch changed them or not. */
  updatedSkus: string[]
  /** Those of `updatedSkus` that held all of the patch already. */
  unchangedSkus: string[]
  failedProducts: FailedProduct[]
}

/**
 * Merges attributes and statuses into existing products: each whole or not at all (spec: PUT /products).
 * Throws `store_not_found`. Three statements, whatever the number of patches.
 */
export async function updateProducts(
  db: WriteView,
  storeUuid: string,
  patches: readonly ProductPatch[],
): Promise<UpdatedProducts> {
  const { storeUuid: uuid, definitions } = await requireDefinitions(db, storeUuid)
  const judged = judgePatches(patches, attributeJudge(definitions))
  const codes = [...new Set(patches.map((patch) => patch.productCode))]
  const known = await lockProducts(db, uuid, codes)
  const good = [...judged.good.values()].filter((patch) => known.has(patch.productCode))
  await writeAny(db, uuid, good)
  return {
    storeUuid: uuid,
    updatedSkus: codes.filter((code) => known.has(code) && judged.good.has(code)),
    unavailableSkus: codes.filter((code) => !known.has(code)),
    failedProducts: codes.flatMap((code) => {
      const failures = known.has(code) ? judged.failed.get(code) : undefined
      return failures ? [{ productCode: code, failures }] : []
    }),
  }
}

/**
 * Creates products or merges into those that exist: how a catalogue gets in. New ones are `new` unless a status is given.
 * Throws `store_not_found`. Two statements, whatever the number of patches.
 */
export async function upsertProducts(
  db: WriteView,
  storeUuid: string,
  patches: readonly ProductPatch[],
): Promise<UpsertedProducts> {
  const { storeUuid: uuid, definitions } = await requireDefinitions(db, storeUuid)
  const judged = judgePatches(patches, attributeJudge(definitions))
  const written = await writeAny(db, uuid, [...judged.good.values()])
  const codes = [...new Set(patches.map((patch) => patch.productCode))]
  const good = codes.filter((code) => judged.good.has(code))
  return {
    storeUuid: uuid,
    createdSkus: good.filter((code) => written.get(code) === 'created'),
    updatedSkus: good.filter((code) => written.get(code) !== 'created'),
    unchangedSkus: good.filter((code) => !written.has(code)),
    failedProducts: codes.flatMap((productCode) => {
      const failures = judged.impossible.has(productCode) ? [codeFailure] : judged.failed.get(productCode)
      return failures ? [{ productCode, failures }] : []
    }),
  }
}

/** Why no product can have a code that is empty, too long, or not storable. */
export const codeFailure = {
  attribute: 'product_code',
  reason: 'must have 1 to 255 characters, without NUL and lone surrogates',
}

/** Inserts or merges the patches in the order of their codes. Returns what was written; a code without a change is not among it. */
async function writeAny(
  db: WriteView,
  storeUuid: string,
  patches: readonly GoodPatch[],
): Promise<Map<string, 'created' | 'updated'>> {
  if (patches.length === 0) return new Map()
  const statuses = JSON.stringify(Object.fromEntries(patches.map((patch) => [patch.productCode, patch.status])))
  const { rows } = await sql<{ product_code: string; created: boolean }>`
    insert into product (store_uuid, product_code, status, attributes)
    select ${storeUuid}::uuid, product_code, coalesce(status, 'new'), attributes from (${patchRows(patches)}) patch
    order by product_code
    on conflict (store_uuid, product_code) do update set
      attributes = product.attributes || excluded.attributes,
      status = coalesce(${statuses}::jsonb ->> excluded.product_code, product.status),
      updated_at = now()
    where not product.attributes @> excluded.attributes
      or product.status <> ${statuses}::jsonb ->> excluded.product_code
    returning product_code, xmax = 0 as created`.execute(db)
  return new Map(rows.map((row) => [row.product_code, row.created ? 'created' : 'updated']))
}

/** The patches as rows that PostgreSQL can join: one parameter, whatever their number. */
export function patchRows(patches: readonly GoodPatch[]) {
  const rows = JSON.stringify(
    patches.map((patch) => ({
      product_code: patch.productCode,
      status: patch.status,
      attributes: patch.attributes,
    })),
  )
  return sql`select product_code collate "C" as product_code, status, attributes
      from jsonb_to_recordset(${rows}::jsonb) as i(product_code text, status text, attributes jsonb)`
}
