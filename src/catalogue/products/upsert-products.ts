import { sql } from 'kysely'
import { requireDefinitions } from '../attributes/attribute-definitions.ts'
import { attributeValidator } from '../attributes/attribute-rules.ts'
import { findMismatches } from '../attributes/mismatches.ts'
import type { WriteCatalogue } from '../catalogue.ts'
import { createdProducts, recorded, updatedProducts } from '../changes/record-changes.ts'
import { refreshValues } from '../values/refresh-values.ts'
import {
  failedProducts,
  failTooLarge,
  fits,
  type GoodPatch,
  type ProductPatch,
  patchRows,
  validatePatches,
} from './product-patches.ts'
import { totalled } from './product-totals.ts'

/** Creates products, or merges into those that exist. Throws `store_not_found`. Three statements. */
export async function upsertProducts(catalogue: WriteCatalogue, storeUuid: string, patches: readonly ProductPatch[]) {
  const products = patches.map((patch) => patch.productCode)
  const { storeUuid: uuid, definitions } = await requireDefinitions(catalogue, storeUuid, { products })
  const mismatches = await findMismatches(catalogue, definitions, patches)
  const validated = validatePatches(patches, attributeValidator(definitions, mismatches))
  const { created, tooLarge } = await upsert(catalogue, uuid, [...validated.good.values()], validated.failed.size)
  failTooLarge(validated, tooLarge)
  const good = [...validated.good.keys()]
  await refreshValues(catalogue, uuid, good)
  return {
    storeUuid: uuid,
    createdSkus: good.filter((code) => created.has(code)),
    updatedSkus: good.filter((code) => !created.has(code)),
    ...failedProducts(patches, validated.failed),
  }
}

/** Returns the codes of the new products, and of those that would have grown too large. */
async function upsert(catalogue: WriteCatalogue, storeUuid: string, patches: readonly GoodPatch[], failed: number) {
  if (patches.length === 0) return { created: new Set<string>(), tooLarge: [] }
  const statuses = JSON.stringify(Object.fromEntries(patches.map((patch) => [patch.productCode, patch.status])))
  const items = sql`${createdProducts(newCodes)} union all ${updatedProducts(writtenOver)}`
  const notWritten = sql`${failed}::integer + (select count(*) from too_large)`
  const { rows } = await sql<{ created: string[]; tooLarge: string[] }>`
    with patch as materialized (${patchRows(patches)}), known as materialized (
      select patch.product_code, p.status, p.attributes, patch.status as new_status, patch.attributes as new_attributes
      from patch cross join lateral (
        select status, attributes from product where store_uuid = ${storeUuid} and product_code = patch.product_code
        offset 0
      ) p
    ), written as (
      insert into product (store_uuid, product_code, status, attributes)
      select ${storeUuid}::uuid, product_code, coalesce(status, 'new'), attributes from patch
      order by product_code
      on conflict (store_uuid, product_code) do update set
        attributes = product.attributes || excluded.attributes,
        status = coalesce(${statuses}::jsonb ->> excluded.product_code, product.status),
        updated_at = greatest(excluded.updated_at, product.updated_at)
      where case when product.attributes @> excluded.attributes
        then product.status <> ${statuses}::jsonb ->> excluded.product_code
        else ${fits(sql`product.attributes`, sql`excluded.attributes`)} end
      returning product_code, status
    ), too_large as (
      select product_code from known
      where product_code not in (select product_code from written) and not (
        attributes @> new_attributes or ${fits(sql`attributes`, sql`new_attributes`)})
    ), ${totalled(storeUuid, differences)}, ${recorded(catalogue, storeUuid, items, notWritten)}
    select array(${newCodes}) as created, array(select product_code from too_large) as "tooLarge"`.execute(catalogue.db)
  return { created: new Set(rows[0]?.created), tooLarge: rows[0]?.tooLarge ?? [] }
}

const newCodes = sql`select product_code from written where product_code not in (select product_code from known)`
const writtenOver = sql`select * from known where product_code in (select product_code from written)`
const differences = sql`
  select status, 1 as delta from written union all select status, -1 from (${writtenOver}) before`
