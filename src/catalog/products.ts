import { lockWithDefinitions } from './attribute-definitions.ts'
import { attributeJudge } from './attribute-rules.ts'
import { spendOnPatches } from './patterns.ts'
import { type FailedProduct, type JudgedPatches, judgePatches, type ProductPatch } from './product-patches.ts'
import { sizeFailures } from './product-size.ts'
import type { WriteView } from './viewer.ts'
import { writeAny, writeKnown } from './write-products.ts'

export interface UpdatedProducts {
  storeUuid: string
  updatedSkus: string[]
  unavailableSkus: string[]
  failedProducts: FailedProduct[]
}

export interface UpsertedProducts {
  storeUuid: string
  createdSkus: string[]
  /** Products that existed, whether the patch changed them or not. */
  updatedSkus: string[]
  /** Those of `updatedSkus` that held all of the patch already. */
  unchangedSkus: string[]
  failedProducts: FailedProduct[]
}

/**
 * Merges attributes and statuses into existing products: each whole or not at all (spec: PUT /products).
 * Throws `store_not_found`. Two statements, whatever the number of patches.
 */
export async function updateProducts(
  db: WriteView,
  storeUuid: string,
  patches: readonly ProductPatch[],
): Promise<UpdatedProducts> {
  const codes = [...new Set(patches.map((patch) => patch.productCode))]
  const { storeUuid: uuid, definitions } = await lockWithDefinitions(db, storeUuid, { products: codes })
  spendOnPatches(definitions, patches)
  const judged = judgePatches(patches, attributeJudge(definitions))
  const { unknown, full } = await writeKnown(db, uuid, judged)
  failFull(judged, full)
  return {
    storeUuid: uuid,
    updatedSkus: codes.filter((code) => judged.good.has(code) && !unknown.has(code)),
    unavailableSkus: codes.filter((code) => unknown.has(code) || judged.impossible.has(code)),
    failedProducts: codes.flatMap((code) => {
      const failures = unknown.has(code) ? undefined : judged.failed.get(code)
      return failures ? [{ productCode: code, failures }] : []
    }),
  }
}

/**
 * Creates products or merges into those that exist: how a catalogue gets in. New ones are `new` unless a status is given.
 * Throws `store_not_found`. Two statements, whatever the number of patches.
 */
export async function upsertProducts(
  db: WriteView,
  storeUuid: string,
  patches: readonly ProductPatch[],
): Promise<UpsertedProducts> {
  const codes = [...new Set(patches.map((patch) => patch.productCode))]
  const { storeUuid: uuid, definitions } = await lockWithDefinitions(db, storeUuid, { products: codes })
  spendOnPatches(definitions, patches)
  const judged = judgePatches(patches, attributeJudge(definitions))
  const { written, full } = await writeAny(db, uuid, [...judged.good.values()])
  failFull(judged, full)
  const good = codes.filter((code) => judged.good.has(code))
  return {
    storeUuid: uuid,
    createdSkus: good.filter((code) => written.get(code) === 'created'),
    updatedSkus: good.filter((code) => written.get(code) !== 'created'),
    unchangedSkus: good.filter((code) => !written.has(code)),
    failedProducts: codes.flatMap((productCode) => {
      const failures = judged.impossible.has(productCode) ? [codeFailure] : judged.failed.get(productCode)
      return failures ? [{ productCode, failures }] : []
    }),
  }
}

/** Takes the patches whose products would have grown too large from the good to the failed. */
function failFull({ good, failed }: JudgedPatches, codes: readonly string[]): void {
  for (const code of codes) {
    failed.set(code, sizeFailures(good.get(code)))
    good.delete(code)
  }
}

/** Why no product can have a code that is empty, too long, or not storable. */
export const codeFailure = {
  attribute: 'product_code',
  reason: 'must have 1 to 255 characters, without NUL and lone surrogates',
}
