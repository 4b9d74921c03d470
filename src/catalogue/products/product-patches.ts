import { sql } from 'kysely'
import { isName } from '../../text.ts'
import type { AttributeJudge } from '../attributes/attribute-rules.ts'
import { isProductStatus, oneOfFault, type ProductStatus, productStatuses } from '../enumerations.ts'
import { createPauses } from '../pauses.ts'
import { fitsAlone, maxMebibytes } from './product-size.ts'

/** A change of one product. Attribute values may be anything: they are judged one by one. */
export interface ProductPatch {
  productCode: string
  status?: string | null | undefined
  attributes?: Readonly<Record<string, unknown>> | null | undefined
}

export interface AttributeFailure {
  attribute: string
  reason: string
}

export interface FailedProduct {
  productCode: string
  failures: AttributeFailure[]
}

/** A patch that may be written. */
export interface GoodPatch {
  productCode: string
  status: ProductStatus | null
  attributes: Record<string, string>
}

/** Judged patches, one entry per product code, each map in the order of the request. */
export interface JudgedPatches {
  good: Map<string, GoodPatch>
  failed: Map<string, AttributeFailure[]>
}

/**
 * Judges every attribute of every patch and combines the entries of one code, by default by merging them: one bad entry
 * and the whole product has failed, with all its faults (decisions: Products).
 */
export async function judgePatches(
  patches: readonly ProductPatch[],
  judge: AttributeJudge,
  { firstOnly = false } = {},
): Promise<JudgedPatches> {
  const pauses = createPauses()
  const judged: JudgedPatches = { good: new Map(), failed: new Map() }
  for (const [code, entries] of Map.groupBy(patches, (patch) => patch.productCode)) {
    if (!isName(code)) {
      const reason = 'must have 1 to 255 characters, without NUL and lone surrogates'
      judged.failed.set(code, [{ attribute: 'product_code', reason }])
      continue
    }
    const failures: AttributeFailure[] = []
    for (const entry of entries) await addFailures(failures, entry, judge, pauses)
    if (failures.length > 0) {
      judged.failed.set(code, failures)
      continue
    }
    const patch = merged(code, (firstOnly ? entries.slice(0, 1) : entries).map(goodPatch))
    judged.good.set(code, patch)
    if (!fitsAlone(patch.attributes)) failTooLarge(judged, [code])
  }
  return judged
}

async function addFailures(
  failures: AttributeFailure[],
  { status, attributes }: ProductPatch,
  judge: AttributeJudge,
  pauses: ReturnType<typeof createPauses>,
): Promise<void> {
  const fault = status == null ? undefined : statusFault(status)
  if (fault !== undefined) failures.push({ attribute: 'status', reason: fault })
  for (const attribute in attributes) {
    const reason = judge(attribute, attributes[attribute])
    if (reason !== undefined) failures.push({ attribute, reason })
    const pause = pauses()
    if (pause) await pause
  }
}

/** What is wrong with a text that came as the status of a product, or undefined. */
export function statusFault(status: string): string | undefined {
  return oneOfFault(status, productStatuses)
}

/** A patch without failures: its attributes are strings, its status one of the enumeration. */
function goodPatch({ productCode, status, attributes }: ProductPatch): GoodPatch {
  return {
    productCode,
    status: status != null && isProductStatus(status) ? status : null,
    attributes: (attributes ?? {}) as Record<string, string>,
  }
}

function merged(productCode: string, entries: readonly GoodPatch[]): GoodPatch {
  const [first] = entries
  if (first && entries.length === 1) return first
  return {
    productCode,
    status: entries.findLast(({ status }) => status !== null)?.status ?? null,
    attributes: Object.fromEntries(entries.flatMap(({ attributes }) => Object.entries(attributes))),
  }
}

/** Moves the patches of products that would have grown too large from the good to the failed ones. */
export function failTooLarge({ good, failed }: JudgedPatches, codes: readonly string[]): void {
  for (const code of codes) {
    const [attribute = 'attributes'] = Object.keys(good.get(code)?.attributes ?? {})
    const reason = `the product's attributes must take at most ${maxMebibytes} MiB together`
    failed.set(code, [{ attribute, reason }])
    good.delete(code)
  }
}

/** The failed products in the order of the request. */
export function failedProducts(
  patches: readonly ProductPatch[],
  failed: ReadonlyMap<string, AttributeFailure[]>,
): FailedProduct[] {
  if (failed.size === 0) return []
  return [...new Set(patches.map((patch) => patch.productCode))].flatMap((productCode) => {
    const failures = failed.get(productCode)
    return failures ? [{ productCode, failures }] : []
  })
}

/** The patches as rows that PostgreSQL can join: one parameter, whatever their number. */
export function patchRows(patches: readonly ProductPatch[]) {
  return sql`select "productCode" collate "C" as product_code, status, attributes
      from jsonb_to_recordset(${JSON.stringify(patches)}::jsonb) as i("productCode" text, status text, attributes jsonb)`
}
