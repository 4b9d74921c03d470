import { sql } from 'kysely'
import type { AttributeDefinition } from './attribute-rules.ts'
import { locksOf } from './locks.ts'
import type { GoodPatch, JudgedPatches } from './product-patches.ts'
import { fitsWith, mostBytes, surelyFits } from './product-size.ts'
import { storeKey } from './store-key.ts'
import type { View, WriteView } from './viewer.ts'

/** What a store's attributes are judged by; the fingerprint tells whether it still has them. */
export interface Rules {
  definitions: AttributeDefinition[]
  fingerprint: string
}

/**
 * Locks the products and merges the good patches into those that exist, when the store still has the rules that the patches were judged by. Returns the codes of those that do
 * not exist, also of those whose patch is bad, and of those that would have grown too large; or the rules that the store has, with nothing written; or undefined when there is
 * no such store. What changes nothing is not written. One statement, which is a transaction in itself.
 */
export async function mergeProducts(
  db: View,
  storeUuid: string,
  { good, failed }: Pick<JudgedPatches, 'good' | 'failed'>,
  judgedBy: Rules | undefined,
): Promise<{ rules: Rules } | { unknown: Set<string>; full: string[] } | undefined> {
  const { stores, numbers, shared } = locksOf(new Map([[storeUuid, { products: [...good.keys(), ...failed.keys()] }]]))
  const patches = byCode(good, (patch) => patch.attributes)
  const statuses = byCode(good, (patch) => patch.status)
  const { rows } = await sql<Merged>`
    select definitions, fingerprint, missing, too_large from merge_products(${storeUuid}, ${judgedBy?.fingerprint ?? null},
      ${stores}, ${numbers}, ${shared}, ${patches}, ${statuses}, ${[...failed.keys()]}, ${surelyFits}, ${mostBytes})`.execute(
    db,
  )
  const [merged] = rows
  if (!merged) return undefined
  const { definitions, fingerprint, missing, too_large } = merged
  if (definitions !== null) return { rules: { definitions: JSON.parse(definitions), fingerprint } }
  return { unknown: new Set(missing), full: too_large ?? [] }
}

/** What the patches have, as a JSON object by their codes; null is left out. Written by hand: an object with so many keys is slow to make, and to go through. */
function byCode(patches: ReadonlyMap<string, GoodPatch>, value: (patch: GoodPatch) => unknown): string {
  let json = ''
  for (const [code, patch] of patches) {
    const held = value(patch)
    if (held !== null) json += `${json === '' ? '{' : ','}${JSON.stringify(code)}:${JSON.stringify(held)}`
  }
  return json === '' ? '{}' : `${json}}`
}

/** The one row of `merge_products`, if there is the store. */
interface Merged {
  /** The store's definitions as JSON, when they are not those that the patches were judged by. */
  definitions: string | null
  fingerprint: string
  missing: string[] | null
  too_large: string[] | null
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
