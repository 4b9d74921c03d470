import { isName } from '../../text.ts'
import type { AttributeValidator } from '../attributes/attribute-rules.ts'
import { BoundedFailures, brief, maxFailures } from '../bounded-failures.ts'
import { oneOfFault, productStatuses, productStatusOf } from '../enumerations.ts'

/** A change of one product. Attribute values may be anything: they are validated one by one. */
export interface ProductPatch {
  productCode: string
  status?: string | null | undefined
  attributes?: Readonly<Record<string, unknown>> | null | undefined
  /** Names of attributes to remove. */
  removeAttributes?: readonly string[] | null | undefined
}

export interface AttributeFailure {
  attribute: string
  reason: string
}

export interface FailedProduct {
  productCode: string
  failures: AttributeFailure[]
}

export interface GoodPatch {
  productCode: string
  status: string | null
  /** Null removes the attribute. */
  attributes: Readonly<Record<string, string | null>>
}

/** Validated patches, one entry per product code, each map in the order of the request. */
export interface ValidatedPatches {
  good: Map<string, GoodPatch>
  failed: Map<string, ProductFailures>
}

/** `more`: how many failures of the product are only counted. */
interface ProductFailures {
  kept: AttributeFailure[]
  more: number
}

/** Validates every attribute and merges the entries of a code: one bad entry fails the product, with all its faults. */
export function validatePatches(
  patches: readonly ProductPatch[],
  validate: AttributeValidator,
  { firstOnly = false } = {},
): ValidatedPatches {
  const validated: ValidatedPatches = { good: new Map(), failed: new Map() }
  /** How many more failures are kept, not counting the first one of each product. */
  let room = maxFailures
  for (const [code, entries] of Map.groupBy(patches, (patch) => patch.productCode)) {
    if (!isName(code)) {
      validated.failed.set(code, { kept: [{ attribute: 'productCode', reason: badName }], more: 0 })
      continue
    }
    const failures: ProductFailures = { kept: [], more: 0 }
    const fail = (attribute: string, reason: string) => {
      if (failures.kept.length > 0 && room-- <= 0) failures.more++
      else failures.kept.push({ attribute, reason: brief(reason) })
    }
    for (const patch of entries) validatePatch(patch, validate, fail)
    if (failures.kept.length > 0) {
      validated.failed.set(code, failures)
      continue
    }
    validated.good.set(code, merged(code, firstOnly ? entries.slice(0, 1) : entries))
  }
  return validated
}

const badName = 'must have 1 to 255 characters, without NUL and lone surrogates'
const setAndRemoved = 'must be either set or removed; got both'

function validatePatch(
  { status, attributes, removeAttributes }: ProductPatch,
  validate: AttributeValidator,
  fail: (attribute: string, reason: string) => void,
): void {
  const isKnown = status == null || productStatusOf(status) !== undefined
  const fault = isKnown ? undefined : oneOfFault(status, productStatuses)
  if (fault !== undefined) fail('status', fault)
  for (const attribute in attributes) {
    const reason = validate(attribute, attributes[attribute])
    if (reason !== undefined) fail(attribute, reason)
  }
  for (const attribute of new Set(removeAttributes ?? [])) {
    if (!isName(attribute)) fail(attribute, badName)
    else if (attributes && Object.hasOwn(attributes, attribute)) fail(attribute, setAndRemoved)
  }
}

/** One patch of the entries of a code, which have no failures: their attributes are strings. */
function merged(productCode: string, entries: readonly ProductPatch[]): GoodPatch {
  const [first = {}, ...others] = entries.map(changesOf)
  const status = entries.findLast((entry) => entry.status != null)?.status
  return {
    productCode,
    status: (status == null ? undefined : productStatusOf(status)) ?? null,
    attributes:
      others.length === 0 ? first : Object.fromEntries([first, ...others].flatMap((each) => Object.entries(each))),
  }
}

/** What a patch sets and removes. */
function changesOf({ attributes, removeAttributes }: ProductPatch): GoodPatch['attributes'] {
  const set = (attributes ?? {}) as GoodPatch['attributes']
  if (!removeAttributes?.length) return set
  return Object.fromEntries([...Object.entries(set), ...removeAttributes.map((name) => [name, null] as const)])
}

/** Moves the patches of products that would have grown too large from the good to the failed ones. */
export function failTooLarge({ good, failed }: ValidatedPatches, codes: readonly string[]): void {
  for (const code of codes) {
    const [attribute = 'attributes'] = Object.keys(good.get(code)?.attributes ?? {})
    failed.set(code, { kept: [{ attribute, reason: tooLargeFault }], more: 0 })
    good.delete(code)
  }
}

/** The failures that the answer has, in the order of the request: the first of each product before any second one. */
export function failedProducts(
  patches: readonly ProductPatch[],
  failed: ReadonlyMap<string, ProductFailures>,
): { failedProducts: FailedProduct[]; more: number } {
  if (failed.size === 0) return { failedProducts: [], more: 0 }
  const products = [...new Set(patches.map((patch) => patch.productCode))].flatMap((productCode) => {
    const failures = failed.get(productCode)
    return failures ? [{ productCode, ...failures }] : []
  })
  const bounded = new BoundedFailures<AttributeFailure & { productCode: string }>()
  for (const { productCode, kept } of products)
    for (const first of kept.slice(0, 1)) bounded.add({ productCode, ...first })
  for (const { productCode, kept } of products)
    for (const other of kept.slice(1)) bounded.add({ productCode, ...other })
  return {
    failedProducts: [...Map.groupBy(bounded.kept, ({ productCode }) => productCode)].map(([productCode, failures]) => ({
      productCode,
      failures,
    })),
    more: products.reduce((sum, { more }) => sum + more, bounded.more),
  }
}

/** The limit of a product's attributes in MiB of JSON: a page of one product can always be read. */
const maxMebibytes = 4
export const maxSize = maxMebibytes * 1024 * 1024

export const tooLargeFault = `the product's attributes must take at most ${maxMebibytes} MiB together`
