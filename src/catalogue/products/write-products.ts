import { sql } from 'kysely'
import { storeNotFound } from '../../errors.ts'
import { type Catalogue, requireVisible } from '../catalogue.ts'
import { type LockRequest, locksOf } from '../locks.ts'
import { maxSize } from './product-patches.ts'

/** What to write, as write-products.sql has it. */
export interface ProductWrites {
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
  newNames?: readonly string[] | undefined
  mostNames?: number | undefined
}

/** Codes of products; `missing` has those of bad patches too. */
export interface WrittenProducts {
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
  const { creates = false, updates = false, refused = [], failed = 0 } = options
  const request = {
    ...{ ...options, creates, updates, refused, failed, maxSize },
    origin: catalogue.origin ?? null,
  }
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
