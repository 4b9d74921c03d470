import { setTimeout as sleep } from 'node:timers/promises'
import type { CatalogueClient } from '../rest/client/index.ts'

/**
 * Keeps a copy of the products of a store, from its present state on, and yields the cursor up to which the copy is
 * current. `events`: whether changes are pushed; otherwise it asks for them every second.
 */
export async function* mirror(
  catalogue: CatalogueClient,
  store_uuid: string,
  copy: Map<string, object>,
  events: boolean,
): AsyncGenerator<string> {
  let { next: after } = await catalogue.listChanges({ store_uuid, after: 'latest' })
  copy.clear()
  // A deletion moves later products to earlier pages: each page must have a product of those before it.
  for (let offset = 0, isLast = false; !isLast; ) {
    const { products } = await catalogue.listProducts({ store_uuid, offset, limit: 100 })
    const read = Object.entries(products)
    const isNext = offset === 0 || read.some(([code]) => copy.has(code))
    if (isNext) for (const [code, product] of read) copy.set(code, product)
    isLast = isNext && read.length < 100
    offset = Math.max(0, offset + (isNext ? 90 : -90))
  }
  yield after
  /** A change names its products. Their present values are read; those that are gone were deleted. */
  const apply = async ({ kind, codes }: { kind: string; codes: string[] }) => {
    for (let i = 0; i < codes.length && (kind === 'product' || kind === 'link'); i += 100) {
      const changed = codes.slice(i, i + 100)
      const { products } = await catalogue.listProducts({ store_uuid, sku_codes: changed })
      for (const code of changed) {
        const product = products[code]
        if (product) copy.set(code, product)
        else copy.delete(code)
      }
    }
  }
  while (!events) {
    const { changes, next, more } = await catalogue.listChanges({ store_uuid, after })
    for (const change of changes) await apply(change)
    after = next
    yield after
    if (!more) await sleep(1_000)
  }
  for await (const event of catalogue.events({ store_uuid: [store_uuid], after })) {
    await apply(event)
    yield event.cursor
  }
}
