import { sql } from 'kysely'
import { currentReadBytes, readStep } from '../../request/context.ts'
import { maxReadBytes } from '../../request/read-bytes.ts'
import { type Catalogue, requireVisible } from '../catalogue.ts'
import { type AttributeDefinition, findStoredMismatches, valueRule } from './attribute-rules.ts'

export interface AttributeViolations {
  productCount: number
  examples: { productCode: string; value: string; reason: string }[]
}

/** The most products of a page, which is parsed at once, and the most bytes of their values, if they are several. */
const pageSize = 1_000
const pageBytes = 1024 * 1024
/** So many are read first, then up to twice as many as the page before had: of others values would be read in vain. */
const firstPageSize = 16
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
  let [after, limit] = ['', firstPageSize]
  for (;;) {
    const page = sql<{ productCode: string; values: (string | null)[] }>`
      select product_code as "productCode", values
      from (
        select *, sum(octet_length(values::text)) over (order by product_code) as bytes,
          row_number() over (order by product_code) as nth
        from (
          select product_code, (
            select json_agg(attributes ->> name order by nth) from unnest(${names}::text[]) with ordinality as n(name, nth)
          ) as values
          from (
            -- Unpacked once for all names, and for the products of the page alone: a sort may come before the limit.
            select product_code, attributes || '{}' as attributes from (
              select product_code, attributes from product
              where store_uuid = ${uuid}::uuid and product_code > ${after} and attributes ?| ${names}::text[]
              order by product_code limit ${limit}
            ) p
            offset 0
          ) p
        ) p
      ) p
      where nth = 1 or bytes <= ${pageBytes}
      order by product_code`
    const { rows } = await readStep(() => page.execute(catalogue.db))
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
        // The step does not count what is kept until the answer is sent. Half of the bytes remain for other fields.
        const readBytes = currentReadBytes()
        const bytes = Buffer.byteLength(value)
        if (violations.examples.length === maxExamples || readBytes.left - bytes < maxReadBytes / 2) continue
        readBytes.add(bytes)
        violations.examples.push({ productCode, value, reason })
      }
    }
    const last = rows.at(-1)
    if (!last) return new Map(found.map((violations, i) => [names[i] ?? '', violations]))
    after = last.productCode
    limit = Math.min(pageSize, 2 * rows.length)
  }
}
