import { sql } from 'kysely'
import { currentReadBytes, withContext } from '../../request/context.ts'
import { type Catalogue, requireVisible } from '../catalogue.ts'
import { type AttributeDefinition, valueRule } from './attribute-rules.ts'
import { findStoredMismatches } from './mismatches.ts'

export interface AttributeViolations {
  productCount: number
  examples: { productCode: string; value: string; reason: string }[]
}

const pageSize = 1_000
const maxExamples = 100

/** The violations by attribute name, from one pass over the products that have any of the attributes. */
export async function findViolations(
  catalogue: Catalogue,
  storeUuid: string,
  definitions: readonly AttributeDefinition[],
): Promise<Map<string, AttributeViolations>> {
  const uuid = requireVisible(catalogue, storeUuid)
  const names = definitions.map(({ name }) => name)
  const found = definitions.map((): AttributeViolations => ({ productCount: 0, examples: [] }))
  let after = ''
  for (;;) {
    const page = sql<{ productCode: string; values: (string | null)[] }>`
      select product_code as "productCode", (select json_agg(attributes ->> name order by nth) from unnest(${names}::text[]) with ordinality as n(name, nth)) as values
      from product
      where store_uuid = ${uuid}::uuid and product_code > ${after} and attributes ?| ${names}::text[]
      order by product_code limit ${pageSize}`
    const { rows } = await withContext({ readBytes: currentReadBytes().ofStep() }, () => page.execute(catalogue.db))
    const products = rows.map(({ values }) => ({
      attributes: Object.fromEntries(names.map((name, i) => [name, values[i]])),
    }))
    const mismatches = await findStoredMismatches(catalogue, definitions, products)
    const rules = definitions.map((definition) => valueRule(definition, mismatches.get(definition.name)))
    for (const { productCode, values } of rows) {
      for (const [i, violations] of found.entries()) {
        const value = values[i] ?? undefined
        const reason = value === undefined ? undefined : rules[i]?.(value)
        if (value === undefined || reason === undefined) continue
        violations.productCount++
        if (violations.examples.length < maxExamples) violations.examples.push({ productCode, value, reason })
      }
    }
    const last = rows.at(-1)
    if (!last || rows.length < pageSize) return new Map(found.map((violations, i) => [names[i] ?? '', violations]))
    after = last.productCode
  }
}
