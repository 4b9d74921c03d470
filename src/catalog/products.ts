import { LRUCache } from 'lru-cache'
import { storeNotFound, unavailable } from '../errors.ts'
import { lockWithDefinitions } from './attribute-definitions.ts'
import { attributeJudge } from './attribute-rules.ts'
import { spendOnPatches } from './patterns.ts'
import { type FailedProduct, type JudgedPatches, judgePatches, type ProductPatch } from './product-patches.ts'
import { sizeFailures } from './product-size.ts'
import { type View, visibleStore, type WriteView } from './viewer.ts'
import { mergeProducts, type Rules, writeAny } from './write-products.ts'

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

/** What stores were judged by last, all their definitions together so many characters long. */
const knownRules = new LRUCache<string, Rules>({
  maxSize: 4 * 1024 * 1024,
  sizeCalculation: ({ definitions }) => JSON.stringify(definitions).length,
})

/** How often patches are judged again because the store's definitions have changed meanwhile. */
const tries = 5

/**
 * Merges attributes and statuses into existing products: each whole or not at all (spec: PUT /products).
 * Throws `store_not_found`. One statement, whatever the number of patches; two where the store's definitions are not known yet, or have changed.
 */
export async function updateProducts(
  db: View,
  storeUuid: string,
  patches: readonly ProductPatch[],
): Promise<UpdatedProducts> {
  const uuid = visibleStore(db, storeUuid)
  if (!uuid) throw storeNotFound('storeUuid', storeUuid)
  let rules = knownRules.get(uuid)
  for (let attempt = 1; attempt <= tries; attempt++) {
    if (rules) spendOnPatches(rules.definitions, patches)
    const judged = rules ? judgePatches(patches, attributeJudge(rules.definitions)) : nothingJudged
    const outcome = await mergeProducts(db, uuid, judged, rules)
    if (!outcome) throw storeNotFound('storeUuid', storeUuid)
    if ('unknown' in outcome) return updated(uuid, patches, judged, outcome)
    rules = outcome.rules
    knownRules.set(uuid, rules)
  }
  throw unavailable('unavailable', new Error(`the definitions of the store ${uuid} change all the time`))
}

const nothingJudged: JudgedPatches = { good: new Map(), failed: new Map(), impossible: new Set() }

function updated(
  storeUuid: string,
  patches: readonly ProductPatch[],
  judged: JudgedPatches,
  { unknown, full }: { unknown: Set<string>; full: string[] },
): UpdatedProducts {
  failFull(judged, full)
  const { good, failed, impossible } = judged
  const isAllGood = unknown.size + impossible.size + failed.size === 0
  const codes = isAllGood ? [] : [...new Set(patches.map((patch) => patch.productCode))]
  return {
    storeUuid,
    updatedSkus: [...good.keys()].filter((code) => !unknown.has(code)),
    unavailableSkus: codes.filter((code) => unknown.has(code) || impossible.has(code)),
    failedProducts: codes.flatMap((productCode) => {
      const failures = unknown.has(productCode) ? undefined : failed.get(productCode)
      return failures ? [{ productCode, failures }] : []
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
