import { sql } from 'kysely'
import { requireDefinitions } from './attribute-definitions.ts'
import { attributeJudge } from './attribute-rules.ts'
import {
  type FailedProduct,
  type GoodPatch,
  type JudgedPatches,
  judgePatches,
  type ProductPatch,
} from './product-patches.ts'
import { storeKey } from './store-key.ts'
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
 * Throws `store_not_found`. Two statements, whatever the number of patches.
 */
export async function updateProducts(
  db: WriteView,
  storeUuid: string,
  patches: readonly ProductPatch[],
): Promise<UpdatedProducts> {
  const { storeUuid: uuid, definitions } = await requireDefinitions(db, storeUuid)
  const judged = judgePatches(patches, attributeJudge(definitions))
  const codes = [...new Set(patches.map((patch) => patch.productCode))]
  const known = await writeKnown(db, uuid, judged)
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

/**
 * Merges the good patches into the products that exist, and returns the codes of all of these, also of those whose patch is bad. Products are locked in the
 * order of their codes, so that no two writers wait for each other in a circle. Whether a patch changes anything is asked of the product as it was locked:
 * the statement's snapshot may be older. Nothing is inserted; `on conflict` finds each product by its key, where a join may read the whole store.
 */
async function writeKnown(db: WriteView, storeUuid: string, { good, failed }: JudgedPatches): Promise<Set<string>> {
  const bad = [...failed.keys()].map((productCode) => ({ productCode, status: null, attributes: null }))
  if (good.size + bad.length === 0) return new Set()
  const { rows } = await sql<{ product_code: string }>`
    with locked as materialized (
      select p.product_code, p.status, p.attributes, i.status as new_status, i.attributes as new_attributes
      from (${patchRows([...good.values(), ...bad])} order by product_code offset 0) i cross join lateral (
        select product_code, status, attributes from product
        where store_uuid = ${storeKey(storeUuid)} and product_code = i.product_code
        offset 0 for no key update
      ) p
    ), changed as (
      insert into product (store_uuid, product_code, status, attributes)
      select ${storeUuid}::uuid, product_code, coalesce(new_status, status), new_attributes from locked
      where new_attributes is not null and (not attributes @> new_attributes or status <> new_status)
      order by product_code
      on conflict (store_uuid, product_code) do update set
        attributes = product.attributes || excluded.attributes, status = excluded.status, updated_at = now()
    )
    select product_code from locked`.execute(db)
  return new Set(rows.map((row) => row.product_code))
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
export function patchRows(
  patches: readonly (Omit<GoodPatch, 'attributes'> & { attributes: Record<string, string> | null })[],
) {
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
