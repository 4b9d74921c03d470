import type { Catalogue } from '../../../src/catalogue/catalogue.ts'
import { buildStep } from '../../../src/catalogue/product-index/build.ts'
import { write } from '../../../src/catalogue/transaction.ts'

/** Builds the index of a store to its end. */
export async function buildIndex(catalogue: Catalogue, storeUuid: string): Promise<void> {
  while (await write(catalogue, false, (work) => buildStep(work, storeUuid)));
}
