import type { Catalogue } from '../catalogue/catalogue.ts'
import { codesOf } from '../catalogue/changes/change.ts'
import { listChanges } from '../catalogue/changes/list-changes.ts'
import { requireStore } from '../catalogue/stores/stores.ts'
import { batch, type ExportSelection, readBatch } from './export-store.ts'
import { jsonLines } from './formats.ts'

/**
 * Writes the products that have changed since a cursor, as they are now, and those that are gone: as
 * `{"product_code", "deleted": true}`. A product may come more than once: the last line counts. Returns the cursor to
 * go on from. Throws `cursor_expired`.
 */
export async function exportChanges(
  catalogue: Catalogue,
  selection: ExportSelection,
  since: string,
  write: (text: string) => Promise<void>,
): Promise<{ rows: number; deleted: number; next: string }> {
  const storeUuid = await requireStore(catalogue, selection.storeUuid, 'store')
  let [rows, deleted, cursor] = [0, 0, since]
  for (;;) {
    const { changes, next, hasMore } = await listChanges(catalogue, storeUuid, {}, { after: cursor, limit: 100 })
    const codesOfKind = (kind: string) => changes.filter((change) => change.kind === kind).flatMap(codesOf)
    const products = new Set(codesOfKind('product'))
    const codes = [...new Set([...products, ...codesOfKind('link')])]
    for (let begin = 0; begin < codes.length; begin += batch.most) {
      const part = { ...selection, storeUuid, codes: codes.slice(begin, begin + batch.most) }
      for (let found = await readBatch(catalogue, part, '', batch.most); found.length > 0; ) {
        for (const { productCode } of found) products.delete(productCode)
        await write(jsonLines.textOf(found))
        rows += found.length
        found = await readBatch(catalogue, part, found.at(-1)?.productCode ?? '', batch.most)
      }
    }
    const gone = [...products].map((product_code) => `${JSON.stringify({ product_code, deleted: true })}\n`)
    await write(gone.join(''))
    deleted += gone.length
    cursor = next ?? cursor
    if (!hasMore) return { rows, deleted, next: cursor }
  }
}
