import { sql } from 'kysely'
import { lockWithDefinitions } from './attribute-definitions.ts'
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
  const codes = [...new Set(patches.map((patch) => patch.productCode))]
  const { storeUuid: uuid, definitions } = await lockWithDefinitions(db, storeUuid, { products: codes })
  const judged = judgePatches(patches, attributeJudge(definitions))
  const unknown = await writeKnown(db, uuid, judged)
  return {
    storeUuid: uuid,
    updatedSkus: codes.filter((code) => judged.good.has(code) && !unknown.has(code)),
    unavailableSkus: codes.filter((code) => unknown.has(code) || judged.impossible.has(code)),
    failedProducts: codes.flatMap((code) => {
      const failures = unknown.has(code) ? undefined : judged.failed.get(code)
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
  const codes = [...new Set(patches.map((patch) => patch.productCode))]
  const { storeUuid: uuid, definitions } = await lockWithDefinitions(db, storeUuid, { products: codes })
  const judged = judgePatches(patches, attributeJudge(definitions))
  const written = await writeAny(db, uuid, [...judged.good.values()])
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
 * Merges the good patches into the products that exist, and returns the codes of those that do not, also of those whose patch is bad. The caller holds the
 * products' locks. What changes nothing is not written. Patches are looked up by the products' codes, and the products by their index: in a join
 * PostgreSQL may read the whole store for one product.
 */
async function writeKnown(db: WriteView, storeUuid: string, { good, failed }: JudgedPatches): Promise<Set<string>> {
  const codes = [...good.keys(), ...failed.keys()]
  if (codes.length === 0) return new Set()
  const patches = [...good.values()]
  const { rows } = await sql<{ code: string }>`
    with given as not materialized (
      select ${codes}::text[] as codes, ${byCode(patches, (patch) => patch.attributes)}::jsonb as attributes,
        ${byCode(patches, (patch) => patch.status)}::jsonb as statuses
    ), changed as (
      update product p set attributes = p.attributes || (given.attributes -> p.product_code),
        status = coalesce(given.statuses ->> p.product_code, p.status), updated_at = now()
      from given
      where p.store_uuid = ${storeKey(storeUuid)} and p.product_code = any(given.codes)
        and (not p.attributes @> (given.attributes -> p.product_code) or p.status <> given.statuses ->> p.product_code)
      returning p.product_code
    )
    select code from given, unnest(given.codes) code
    where code not in (select product_code from changed)
      and not exists (select from product where store_uuid = ${storeKey(storeUuid)} and product_code = code)`.execute(
    db,
  )
  return new Set(rows.map((row) => row.code))
}

/** What the patches have, as a JSON object by their codes; null is left out. No JavaScript object could have every code as a key, and in order. */
function byCode(patches: readonly GoodPatch[], value: (patch: GoodPatch) => unknown): string {
  let json = ''
  for (const patch of patches) {
    const held = value(patch)
    if (held !== null) json += `${json === '' ? '{' : ','}${JSON.stringify(patch.productCode)}:${JSON.stringify(held)}`
  }
  return json === '' ? '{}' : `${json}}`
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
