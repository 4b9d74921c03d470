import { sql } from 'kysely'
import { type AttributeDefinition, valueRule } from './attribute-rules.ts'
import { spendOnValues } from './patterns.ts'
import { type View, visibleStore } from './viewer.ts'

/** The values stored under a definition's name that it would not take now. */
export interface AttributeViolations {
  /** How many products hold such a value, exactly. */
  productCount: number
  /** The first of them in the order of the product codes. */
  examples: { productCode: string; value: string; reason: string }[]
}

const pageSize = 5_000
const mostExamples = 100

/**
 * Judges the values that a store's products hold by the definitions, in one pass over the products that have any of the attributes: a statement for each 5,000 of
 * them, memory flat. Returns the violations by attribute name, with at most 100 examples each.
 */
export async function findViolations(
  db: View,
  storeUuid: string,
  definitions: readonly AttributeDefinition[],
): Promise<Map<string, AttributeViolations>> {
  const rules = definitions.map((definition) => ({
    name: definition.name,
    rule: valueRule(definition),
    found: { productCount: 0, examples: [] } as AttributeViolations,
  }))
  const names = rules.map(({ name }) => name)
  const uuid = visibleStore(db, storeUuid)
  if (uuid === undefined) return new Map()
  let after = ''
  for (;;) {
    const { rows } = await sql<{ product_code: string; values: (string | null)[] }>`
      select product_code, (select json_agg(attributes ->> name order by nth) from unnest(${names}::text[]) with ordinality as n(name, nth)) as values
      from product
      where store_uuid = ${uuid}::uuid and product_code > ${after} and attributes ?| ${names}::text[]
      order by product_code limit ${pageSize}`.execute(db)
    spendOnValues(
      definitions,
      rows.map(({ values }) => values),
    )
    for (const { product_code: productCode, values } of rows) {
      rules.forEach(({ rule, found }, i) => {
        const value = values[i] ?? undefined
        const reason = value === undefined ? undefined : rule(value)
        if (value === undefined || reason === undefined) return
        found.productCount++
        if (found.examples.length < mostExamples) found.examples.push({ productCode, value, reason })
      })
    }
    const last = rows.at(-1)
    if (!last || rows.length < pageSize) return new Map(rules.map(({ name, found }) => [name, found]))
    after = last.product_code
  }
}
