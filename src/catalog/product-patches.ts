import type { AttributeJudge } from './attribute-rules.ts'
import { isProductStatus, type ProductStatus, productStatuses } from './enumerations.ts'
import { isName, shown } from './text.ts'

/** What a caller wants of one product. Attribute values may be anything: they are judged one by one. */
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

/** A patch that may be written: all of a code's entries merged in their order. */
export interface GoodPatch {
  productCode: string
  status: ProductStatus | null
  attributes: Record<string, string>
}

/** Patches judged and merged, one entry per product code, each map in the order of the request. */
export interface JudgedPatches {
  good: Map<string, GoodPatch>
  failed: Map<string, AttributeFailure[]>
  /** Codes that no product can have: empty, too long, or not storable. */
  impossible: Set<string>
}

/**
 * Judges every attribute of every patch and combines the entries of one code, by merging them unless told otherwise: one bad entry and
 * the whole product has failed, with all its faults (decisions: Products). The work grows with the patches, however often a code comes.
 */
export function judgePatches(
  patches: readonly ProductPatch[],
  judge: AttributeJudge,
  combine: (entries: readonly [GoodPatch, ...GoodPatch[]]) => GoodPatch = merged,
): JudgedPatches {
  const good = new Map<string, GoodPatch>()
  const repeated = new Map<string, [GoodPatch, ...GoodPatch[]]>()
  const failed = new Map<string, AttributeFailure[]>()
  const impossible = new Set<string>()
  for (const patch of patches) {
    const code = patch.productCode
    if (!isName(code)) {
      impossible.add(code)
      continue
    }
    const failures = patchFailures(patch, judge)
    const before = failed.get(code)
    const first = good.get(code)
    if (before) for (const failure of failures) before.push(failure)
    else if (failures.length > 0) failed.set(code, failures)
    else if (first) {
      const entries = repeated.get(code)
      if (entries) entries.push(goodPatch(patch))
      else repeated.set(code, [first, goodPatch(patch)])
    } else good.set(code, goodPatch(patch))
  }
  for (const [code, entries] of repeated) good.set(code, combine(entries))
  for (const code of failed.keys()) good.delete(code)
  return { good, failed, impossible }
}

function patchFailures(patch: ProductPatch, judge: AttributeJudge): AttributeFailure[] {
  const failures: AttributeFailure[] = []
  const reason = patch.status == null ? undefined : statusFault(patch.status)
  if (reason !== undefined) failures.push({ attribute: 'status', reason })
  const attributes = patch.attributes ?? {}
  for (const attribute in attributes) {
    const reason = judge(attribute, attributes[attribute])
    if (reason !== undefined) failures.push({ attribute, reason })
  }
  return failures
}

/** What is wrong with a text that came as the status of a product, or undefined. */
export function statusFault(status: string): string | undefined {
  return isProductStatus(status) ? undefined : `must be one of ${productStatuses.join(', ')}; got ${shown(status)}`
}

/** A patch that has been judged: its attributes are strings, its status one of the enumeration. */
function goodPatch(patch: ProductPatch): GoodPatch {
  const status = patch.status != null && isProductStatus(patch.status) ? patch.status : null
  return { productCode: patch.productCode, status, attributes: (patch.attributes ?? {}) as Record<string, string> }
}

function merged(entries: readonly [GoodPatch, ...GoodPatch[]]): GoodPatch {
  const [first] = entries
  if (entries.length === 1) return first
  return {
    productCode: first.productCode,
    status: entries.findLast(({ status }) => status !== null)?.status ?? null,
    attributes: Object.fromEntries(entries.flatMap(({ attributes }) => Object.entries(attributes))),
  }
}
