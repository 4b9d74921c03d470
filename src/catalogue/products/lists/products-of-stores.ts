import { invalidRequest } from '../../../errors.ts'
import { storeUuidOf } from '../../../text.ts'
import { type Catalogue, mapStores } from '../../catalogue.ts'
import type { KeysetPage } from '../../conditions.ts'
import type { ListedProduct } from '../find-products.ts'
import { byCode, cursorKey, isCursorKey, type ProductOrder, requireGoodOrder } from '../query/order.ts'
import type { ProductFilter } from '../query/product-filter.ts'
import { countProducts, type ProductCount } from './count-products.ts'
import { listProducts, type ProductList } from './list-products.ts'

/**
 * A page of the products of several stores: in the given order, which is by no attribute, then by code, then by store.
 * Each store is read within the page of those before it.
 */
export async function listProductsOfStores(
  catalogue: Catalogue,
  storeUuids: readonly string[],
  filter: ProductFilter,
  page: KeysetPage,
  order = byCode,
): Promise<ProductList> {
  const sign = (order.direction === 'desc' ? -1 : 1) * (page.backwards ? -1 : 1)
  let rows: ListedProduct[] = []
  const answers = await mapStores(storeUuids, async (uuid) => {
    const last = rows.length < page.limit ? undefined : rows.at(-1)
    const bound = last && { [page.backwards ? 'after' : 'before']: keyAmongStores(order, last) }
    const listed = await listProducts(catalogue, uuid, filter, pageOfStore(uuid, { ...page, ...bound }, order), order)
    rows = [...rows, ...listed.rows].sort((a, b) => sign * compareProducts(a, b)).slice(0, page.limit)
    return { asOf: listed.asOf }
  })
  return { rows, asOf: oldestOf(answers) }
}

export async function countProductsOfStores(
  catalogue: Catalogue,
  storeUuids: readonly string[],
  filter: ProductFilter,
): Promise<ProductCount> {
  const counts = await mapStores(storeUuids, (uuid) => countProducts(catalogue, uuid, filter))
  return { count: counts.reduce((sum, { count }) => sum + count, 0), asOf: oldestOf(counts) }
}

function oldestOf(answers: readonly { asOf: Date }[]): Date {
  return new Date(Math.min(...answers.map(({ asOf }) => asOf.getTime()), Date.now()))
}

/** The order. Throws `invalid_request` for one by an attribute: stores may declare it with different types. */
export function requireOrderAmongStores(order: ProductOrder | null | undefined): ProductOrder {
  if (order?.field !== 'attribute') return requireGoodOrder(order)
  const fields = 'CODE, CREATED_AT, UPDATED_AT or STATUS'
  const details = `orderBy.field must be ${fields} for products of several stores; got ATTRIBUTE: use Store.products`
  throw invalidRequest([{ field: 'orderBy.field', details }])
}

/** The key of a cursor between stores. */
export function keyAmongStores(order: ProductOrder, { storeUuid, orderValue, productCode }: ListedProduct): string {
  return storeUuid + cursorKey(order, orderValue, productCode)
}

export function isKeyAmongStores(order: ProductOrder, text: string): boolean {
  return (
    storeUuidOf(text.slice(0, uuidLength)) === text.slice(0, uuidLength) && isCursorKey(order, text.slice(uuidLength))
  )
}

const uuidLength = 36

/**
 * The page of one store. A product at the place of a cursor itself is on it if its store comes after that of the
 * cursor.
 */
function pageOfStore(uuid: string, { after, before, ...page }: KeysetPage, { direction }: ProductOrder) {
  const sign = direction === 'desc' ? -1 : 1
  const place = (key = uuid) => sign * byBytes(uuid, key.slice(0, uuidLength))
  const orAt = { after: place(after) > 0, before: place(before) < 0 }
  return { ...page, after: after?.slice(uuidLength), before: before?.slice(uuidLength), orAt }
}

function compareProducts(a: ListedProduct, b: ListedProduct): number {
  return (
    byBytes(String(a.orderValue), String(b.orderValue)) ||
    byBytes(a.productCode, b.productCode) ||
    byBytes(a.storeUuid, b.storeUuid)
  )
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
