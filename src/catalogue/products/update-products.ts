import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { storeNotFound, unavailable } from '../../errors.ts'
import { isName } from '../../text.ts'
import { type AttributeDefinition, attributeValidator } from '../attributes/attribute-rules.ts'
import { findMismatches } from '../attributes/mismatches.ts'
import { type Catalogue, requireVisible } from '../catalogue.ts'
import { locksOf } from '../locks.ts'
import {
  failedProducts,
  failTooLarge,
  type GoodPatch,
  maxSize,
  type ProductPatch,
  sizeNotChecked,
  type ValidatedPatches,
  validatePatches,
} from './product-patches.ts'
import { randomShard } from './product-totals.ts'

/** A store's attribute definitions; the fingerprint shows whether the store still has them. */
interface Rules {
  definitions: AttributeDefinition[]
  fingerprint: string
}

/** The last known rules of stores, bounded by their length in characters. */
const knownRules = new LRUCache<string, Rules>({
  maxSize: 4 * 1024 * 1024,
  sizeCalculation: ({ definitions }) => JSON.stringify(definitions).length,
})

/** How often patches are validated again because the store's definitions have changed meanwhile. */
const maxAttempts = 5

/**
 * Merges attributes and statuses into existing products: each whole or not at all (spec: PUT /products). Throws
 * `store_not_found`. One statement; two where the store's definitions are not known yet, or have changed.
 */
export async function updateProducts(catalogue: Catalogue, storeUuid: string, patches: readonly ProductPatch[]) {
  const uuid = requireVisible(catalogue, storeUuid)
  const possible = patches.filter(({ productCode }) => isName(productCode))
  // Unknown rules validate no patch: the first call then only reads the definitions.
  let rules = knownRules.get(uuid)
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const { definitions = [] } = rules ?? {}
    const mismatches = await findMismatches(catalogue, definitions, possible)
    const validated = validatePatches(rules ? possible : [], attributeValidator(definitions, mismatches))
    const merged = await mergeProducts(catalogue, uuid, validated, rules?.fingerprint)
    if (!merged) throw storeNotFound('storeUuid', storeUuid)
    if (merged.kind === 'merged') return resultOf(uuid, patches, validated, merged)
    rules = { definitions: JSON.parse(merged.definitions), fingerprint: merged.fingerprint }
    knownRules.set(uuid, rules)
  }
  throw unavailable('unavailable', new Error(`the definitions of the store ${uuid} change all the time`))
}

function resultOf(storeUuid: string, patches: readonly ProductPatch[], validated: ValidatedPatches, merged: Merged) {
  const missing = new Set(merged.missing)
  failTooLarge(validated, merged.tooLarge)
  for (const code of missing) validated.failed.delete(code)
  const codes = [...new Set(patches.map((patch) => patch.productCode))]
  return {
    storeUuid,
    updatedSkus: [...validated.good.keys()].filter((code) => !missing.has(code)),
    unavailableSkus: codes.filter((code) => missing.has(code) || !isName(code)),
    ...failedProducts(patches, validated.failed),
  }
}

type MergeResult =
  | Merged
  /** Nothing was written: the store has other definitions than those that validated the patches. */
  | { kind: 'definitionsChanged'; definitions: string; fingerprint: string }

/** `missing`: codes without a product, bad patches included; `tooLarge`: products that would have grown too large. */
interface Merged {
  kind: 'merged'
  missing: string[]
  tooLarge: string[]
}

interface MergeRow {
  definitions: string | null
  fingerprint: string
  missing: string[] | null
  tooLarge: string[] | null
}

/** Calls merge-products.sql; the codes of failed patches are only looked up. Undefined if there is no such store. */
export async function mergeProducts(
  catalogue: Catalogue,
  storeUuid: string,
  { good, failed }: ValidatedPatches,
  validatedBy: string | undefined,
): Promise<MergeResult | undefined> {
  const request = {
    store: storeUuid,
    validatedBy: validatedBy ?? null,
    locks: locksOf(storeUuid, { products: [...good.keys(), ...failed.keys()] }),
    refused: [...failed.keys()],
    sizeNotChecked,
    maxSize,
    names: fewNames(good),
    shard: randomShard(),
    origin: catalogue.origin ?? null,
  }
  const patches = byCode(good, (patch) => patch.attributes)
  const statuses = byCode(good, (patch) => patch.status)
  const json = `${JSON.stringify(request).slice(0, -1)},"patches":${patches},"statuses":${statuses}}`
  const { rows } = await sql<MergeRow>`
    select definitions, fingerprint, missing, too_large as "tooLarge" from merge_products(${json}::jsonb)`.execute(
    catalogue.db,
  )
  const [row] = rows
  if (!row) return undefined
  const { definitions, fingerprint, missing, tooLarge } = row
  if (definitions !== null) return { kind: 'definitionsChanged', definitions, fingerprint }
  return { kind: 'merged', missing: missing ?? [], tooLarge: tooLarge ?? [] }
}

const mostNames = 8

/** The names of the patches' attributes; null if they are more than a few. */
function fewNames(patches: ReadonlyMap<string, GoodPatch>): string[] | null {
  const names = new Set<string>()
  for (const { attributes } of patches.values())
    for (const name in attributes) if (names.add(name).size > mostNames) return null
  return [...names]
}

/** A JSON object by product code, without nulls. Concatenated: an object with ten thousand keys is slow to make. */
function byCode(patches: ReadonlyMap<string, GoodPatch>, value: (patch: GoodPatch) => unknown): string {
  const members: string[] = []
  for (const [code, patch] of patches) {
    const held = value(patch)
    if (held !== null) members.push(`${JSON.stringify(code)}:${JSON.stringify(held)}`)
  }
  return `{${members.join(',')}}`
}
