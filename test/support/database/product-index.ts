import type { Catalogue } from '../../../src/catalogue/catalogue.ts'
import { buildStep } from '../../../src/catalogue/product-index/build.ts'
import { apply, differences } from '../../../src/catalogue/product-index/product-index.ts'
import { findSlots } from '../../../src/catalogue/product-index/slots.ts'
import { write } from '../../../src/catalogue/transaction.ts'

/** Builds the index of a store to its end. */
export async function buildIndex(catalogue: Catalogue, storeUuid: string): Promise<void> {
  while (await write(catalogue, false, (work) => buildStep(work, storeUuid)));
}

export function applyToIndex(catalogue: Catalogue, storeUuid: string, codes: readonly string[]): Promise<void> {
  return write(catalogue, false, (work) => apply(work, storeUuid, codes))
}

/** The rows of the index that are not what the products are. */
export async function indexFaults(catalogue: Catalogue, storeUuid: string): Promise<unknown[]> {
  const slots = await findSlots(catalogue, storeUuid)
  return (await differences(slots, storeUuid).execute(catalogue.db)).rows
}
