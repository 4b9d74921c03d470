import { sql } from 'kysely'
import { type Catalogue, visibleStore } from '../catalogue.ts'
import type { Condition } from '../conditions.ts'
import { evaluationJoin, findPatternMismatches, reasonFor, requirementsOf, unpacked } from './evaluate.ts'
import type { Requirement } from './requirements.ts'

export interface ProductReadiness {
  channel: string
  /** Whether the product meets all required requirements. */
  ready: boolean
  missing: { code: string; severity: Requirement['severity']; reason: string }[]
}

interface Row {
  productCode: string
  channel: string
  /** Requirements that the product does not meet, or whose pattern is still to be matched. */
  found: { requirement: Requirement; value: string | null; isMissing: boolean }[]
}

/** The readiness of products for each channel with requirements, in one statement. */
export async function findProductReadiness(
  catalogue: Catalogue,
  storeUuid: string,
  codes: readonly string[],
): Promise<Map<string, ProductReadiness[]>> {
  const uuid = visibleStore(catalogue, storeUuid)
  if (uuid === null) return new Map()
  const lists = sql`(select channel, requirements from channel_requirement where store_uuid = ${uuid}) list`
  const { rows } = await sql<Row>`
    with r as materialized (${requirementsOf(lists)})
    select p.product_code as "productCode", c.channel, (
      select coalesce(json_agg(json_build_object('requirement', r.requirement, 'value', v.value, 'isMissing', v.is_missing)
        order by r.bit), '[]')
      from (select p.product_code, p.status, ${unpacked} as attributes offset 0) p cross join r ${evaluationJoin(uuid)}
      where r.channel = c.channel and (v.is_missing or r.pattern is not null)
    ) as found
    from (
      select product_code, status, attributes from product
      where store_uuid = ${uuid} and product_code = any(${codes}::text[]) offset 0
    ) p cross join (select distinct channel from r) c
    order by c.channel`.execute(catalogue.db)
  const values = rows.flatMap(({ found }) =>
    found.flatMap(({ requirement: { pattern }, value, isMissing }) =>
      pattern === null || value === null || isMissing ? [] : [{ pattern, value }],
    ),
  )
  const mismatching = await findPatternMismatches(catalogue, values)
  const readiness = rows.map(({ productCode, channel, found }) => {
    const missing = found.filter(
      ({ requirement: { pattern }, value, isMissing }) =>
        isMissing || mismatching.get(pattern ?? '')?.has(value ?? '') === true,
    )
    return {
      productCode,
      channel,
      ready: !missing.some(({ requirement }) => requirement.severity === 'REQUIRED'),
      missing: missing.map(({ requirement, value }) => ({
        code: requirement.code,
        severity: requirement.severity,
        reason: reasonFor(requirement, value),
      })),
    }
  })
  return Map.groupBy(readiness, ({ productCode }) => productCode)
}

/** SQL: whether a product `p` has been counted as blocked on a channel. */
export function isBlocked(uuid: string | null, channel: string): Condition {
  return sql<boolean>`exists (
      select from product_gap g join channel_readiness c
        on c.store_uuid = ${uuid} and c.channel = ${channel} and c.build = g.build and c.state = 'current'
      where g.store_uuid = ${uuid} and g.channel = ${channel} and g.product_code = p.product_code
        and g.mask & c.required <> 0
    )`
}

/** SQL: whether a product `p` has been counted as not blocked: none has where nothing is counted. */
export function isReady(uuid: string | null, channel: string): Condition {
  return sql<boolean>`(
      exists (
        select from channel_readiness c
        where c.store_uuid = ${uuid} and c.channel = ${channel} and c.state = 'current'
      ) and not ${isBlocked(uuid, channel)}
    )`
}
