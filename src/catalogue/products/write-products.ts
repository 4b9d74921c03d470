import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { storeNotFound, unavailable } from '../../errors.ts'
import {
  type AttributeDefinition,
  type AttributeValidator,
  attributeValidator,
  findMismatches,
} from '../attributes/attribute-rules.ts'
import { type Catalogue, requireVisible } from '../catalogue.ts'
import { type LockRequest, locksOf } from '../locks.ts'
import {
  failTooLarge,
  type GoodPatch,
  maxSize,
  type ProductPatch,
  type ValidatedPatches,
  validatePatches,
} from './product-patches.ts'

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

/** How the patches of a request are validated and written. */
interface PatchOptions {
  creates?: boolean
  updates?: boolean
  /** Whether the codes of bad patches are looked up. */
  looksUpFailed?: boolean
  /** Whether the first of several entries of a code counts. */
  firstOnly?: boolean
  /** The groups to lock in addition to the products. */
  groups?: readonly string[]
  /** The validation of attributes, given that by the store's definitions. */
  validator?: (defined: AttributeValidator) => AttributeValidator
  /** The attributes of a good patch that the product gets. */
  attributesOf?: (patch: GoodPatch) => GoodPatch['attributes']
}

/**
 * Validates patches by the store's definitions and writes the good ones, each whole or not at all. Throws
 * `store_not_found`. One statement; two where the definitions are not known yet, or have changed.
 */
export async function writePatches(
  catalogue: Catalogue,
  storeUuid: string,
  patches: readonly ProductPatch[],
  options: PatchOptions,
): Promise<{ storeUuid: string; validated: ValidatedPatches; written: WrittenProducts }> {
  const uuid = requireVisible(catalogue, storeUuid)
  const { validator = (defined) => defined, firstOnly, attributesOf } = options
  const removes = patches.some(({ removeAttributes }) => removeAttributes?.length)
  // Unknown rules validate no patch: the first call then only reads the definitions.
  let rules = knownRules.get(uuid)
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const { definitions = [] } = rules ?? {}
    const mismatches = await findMismatches(catalogue, definitions, patches)
    const validate = validator(attributeValidator(definitions, mismatches))
    const validated = validatePatches(rules ? patches : [], validate, { firstOnly })
    if (attributesOf) for (const patch of validated.good.values()) patch.attributes = attributesOf(patch)
    const writes = { ...writesOf(validated, options), removes, validatedBy: rules?.fingerprint ?? null }
    const { definitions: present, fingerprint, ...written } = await writeProducts(catalogue, storeUuid, writes)
    if (present === null) {
      failTooLarge(validated, written.tooLarge)
      return { storeUuid: uuid, validated, written }
    }
    rules = { definitions: JSON.parse(present), fingerprint }
    knownRules.set(uuid, rules)
  }
  throw unavailable('unavailable', new Error(`the definitions of the store ${uuid} change all the time`))
}

/** What to write of good patches; those that are too large by themselves fail. */
function writesOf(
  validated: ValidatedPatches,
  { creates, updates, looksUpFailed, groups = [] }: PatchOptions,
): ProductWrites {
  const { good, failed } = validated
  const patches = Array.from(good, ([code, { attributes }]) => [code, JSON.stringify(attributes)] as const)
  const tooLarge = patches.flatMap(([code, json]) => (Buffer.byteLength(json) > maxSize ? code : []))
  failTooLarge(validated, tooLarge)
  const statuses = Array.from(good, ([code, { status }]) => [code, JSON.stringify(status)] as const)
  const codes = [...failed.keys()]
  return {
    patches: jsonObject(patches.filter(([code]) => good.has(code))),
    statuses: jsonObject(statuses.filter(([, status]) => status !== 'null')),
    creates,
    updates,
    locks: { groups, products: [...good.keys(), ...codes] },
    ...(looksUpFailed ? { refused: codes } : { failed: codes.length }),
    names: namesOf(good.values()),
    mostNames: Math.max(0, ...Array.from(good.values(), ({ attributes }) => Object.keys(attributes).length)),
  }
}

/** The attributes of patches that have a value. */
function namesOf(patches: Iterable<GoodPatch>): string[] {
  const names = new Set<string>()
  for (const { attributes } of patches) for (const name in attributes) if (attributes[name]) names.add(name)
  return [...names]
}

/** What to write, as write-products.sql has it. */
interface ProductWrites {
  /** The texts of JSON objects by product code. */
  patches: string
  removes?: boolean | undefined
  statuses?: string | undefined
  createdAts?: string | undefined
  creates?: boolean | undefined
  updates?: boolean | undefined
  locks: LockRequest
  validatedBy?: string | null | undefined
  refused?: readonly string[] | undefined
  failed?: number | undefined
  names?: readonly string[] | undefined
  mostNames?: number | undefined
}

/** Codes of products; `missing` has those of bad patches too. */
interface WrittenProducts {
  created: string[]
  updated: string[]
  missing: string[]
  tooLarge: string[]
}

/** The present definitions of the store, if they are not those that validated the patches: nothing was written. */
interface Definitions {
  definitions: string | null
  fingerprint: string
}

/** Writes products and what is derived from them, in one statement. Throws `store_not_found`. */
export async function writeProducts(
  catalogue: Catalogue,
  storeUuid: string,
  writes: ProductWrites,
): Promise<WrittenProducts & Definitions> {
  const store = requireVisible(catalogue, storeUuid)
  const { patches, statuses = '{}', createdAts = '{}', locks, ...options } = writes
  const request = { ...options, maxSize, origin: catalogue.origin }
  const texts = `"patches":${patches},"statuses":${statuses},"createdAts":${createdAts}`
  const json = `${JSON.stringify(request).slice(0, -1)},${texts}}`
  // As JSON: Node parses a thousand codes of an array 20 times as slowly.
  const { rows } = await sql<WrittenProducts & Definitions>`
    select definitions, fingerprint, array_to_json(coalesce(created, '{}')) as created,
      array_to_json(coalesce(updated, '{}')) as updated, array_to_json(coalesce(missing, '{}')) as missing,
      array_to_json(coalesce(too_large, '{}')) as "tooLarge"
    from write_products(${store}::uuid, ${JSON.stringify(locksOf(store, locks))}::jsonb, ${json}::jsonb)`.execute(
    catalogue.db,
  )
  const [written] = rows
  if (!written) throw storeNotFound('storeUuid', storeUuid)
  return written
}

/** The text of a JSON object of texts of JSON. Concatenated: an object with ten thousand keys is slow to make. */
export function jsonObject(members: Iterable<readonly [name: string, json: string]>): string {
  return `{${Array.from(members, ([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`
}
