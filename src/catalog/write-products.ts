import { sql } from 'kysely'
import type { GoodPatch, JudgedPatches } from './product-patches.ts'
import { fitsWith } from './product-size.ts'
import { storeKey } from './store-key.ts'
import type { WriteView } from './viewer.ts'

/**
 * Merges the good patches into the products that exist, and returns the codes of those that do not, also of those whose patch is bad, and of those that
 * would have grown too large. The caller holds the products' locks. What changes nothing is not written. Patches are looked up by the products' codes, and the products by their index: in a join
 * PostgreSQL may read the whole store for one product.
 */
export async function writeKnown(
  db: WriteView,
  storeUuid: string,
  { good, failed }: JudgedPatches,
): Promise<{ unknown: Set<string>; full: string[] }> {
  const codes = [...good.keys(), ...failed.keys()]
  if (codes.length === 0) return { unknown: new Set(), full: [] }
  const patches = [...good.values()]
  const patch = sql`given.attributes -> p.product_code`
  const holds = sql`p.attributes @> (${patch})`
  const fits = fitsWith(sql`p.attributes`, sql`(${patch})`)
  const { rows } = await sql<{ code: string; fits: boolean | null }>`
    with given as not materialized (
      select ${codes}::text[] as codes, ${byCode(patches, (patch) => patch.attributes)}::jsonb as attributes,
        ${byCode(patches, (patch) => patch.status)}::jsonb as statuses
    ), changed as (
      update product p set attributes = p.attributes || (${patch}),
        status = coalesce(given.statuses ->> p.product_code, p.status), updated_at = now()
      from given
      where p.store_uuid = ${storeKey(storeUuid)} and p.product_code = any(given.codes)
        and case when ${holds} then p.status <> given.statuses ->> p.product_code when not ${holds} then ${fits} end
      returning p.product_code
    ), left_over as (
      select code, (
        select coalesce(${holds} or ${fits}, true) from product p
        where p.store_uuid = ${storeKey(storeUuid)} and p.product_code = code
      ) as fits
      from given, unnest(given.codes) code where code not in (select product_code from changed)
    )
    select code, fits from left_over where fits is not true`.execute(db)
  return {
    unknown: new Set(rows.flatMap(({ code, fits }) => (fits === null ? [code] : []))),
    full: rows.flatMap(({ code, fits }) => (fits === false ? [code] : [])),
  }
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

/**
 * Inserts or merges the patches in the order of their codes. Returns what was written, and the codes of the products that would have grown too large; one
 * without a change is among neither.
 */
export async function writeAny(
  db: WriteView,
  storeUuid: string,
  patches: readonly GoodPatch[],
): Promise<{ written: Map<string, 'created' | 'updated'>; full: string[] }> {
  if (patches.length === 0) return { written: new Map(), full: [] }
  const statuses = JSON.stringify(Object.fromEntries(patches.map((patch) => [patch.productCode, patch.status])))
  const { rows } = await sql<{ product_code: string; became: 'created' | 'updated' | null }>`
    with patch as materialized (${patchRows(patches)}), written as (
      insert into product (store_uuid, product_code, status, attributes)
      select ${storeUuid}::uuid, product_code, coalesce(status, 'new'), attributes from patch
      order by product_code
      on conflict (store_uuid, product_code) do update set
        attributes = product.attributes || excluded.attributes,
        status = coalesce(${statuses}::jsonb ->> excluded.product_code, product.status),
        updated_at = now()
      where case when product.attributes @> excluded.attributes
        then product.status <> ${statuses}::jsonb ->> excluded.product_code
        else ${fitsWith(sql`product.attributes`, sql`excluded.attributes`)} end
      returning product_code, case when xmax = 0 then 'created' else 'updated' end as became
    )
    select product_code, became from written
    union all
    select product_code, null from patch
    where product_code not in (select product_code from written) and not (
      select p.attributes @> patch.attributes or ${fitsWith(sql`p.attributes`, sql`patch.attributes`)} from product p
      where p.store_uuid = ${storeKey(storeUuid)} and p.product_code = patch.product_code
    )`.execute(db)
  return {
    written: new Map(rows.flatMap(({ product_code: code, became }) => (became ? [[code, became] as const] : []))),
    full: rows.flatMap(({ product_code: code, became }) => (became ? [] : [code])),
  }
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
