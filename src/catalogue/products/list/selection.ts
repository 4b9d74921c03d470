import { type RawBuilder, sql } from 'kysely'
import { customPlan } from '../../../database/connection/session.ts'
import { type Catalogue, visibleStore } from '../../catalogue.ts'
import { allOf, isBare } from '../../conditions.ts'
import { withCodes, withTexts } from '../../search-codes.ts'
import { statusSlot } from '../../values/value-keys.ts'
import {
  type AttributeIndexes,
  findAttributeIndexes,
  hasStatusKeys,
  requireBounds,
  requireOrdered,
} from './attribute-indexes.ts'
import { type CodeList, codeListsOf, keysOf, shortestList } from './code-lists.ts'
import { matching, prefixConditions } from './matching-products.ts'
import { attributesOf, type ProductFilter, partsOf } from './product-filter.ts'
import { byCode, needsProduct, type ProductOrder } from './product-order.ts'

export interface Selection {
  /** A FROM item of the products `p`, which may include others than those that match. */
  source: RawBuilder<unknown>
  /** The same in the order of an indexed attribute, of products that have a key `p.key`. */
  keyedSource: RawBuilder<unknown> | undefined
  /** The source of the given products `p` instead of all; undefined if it reads products by their codes. */
  sourceOf: ((products: RawBuilder<unknown>) => RawBuilder<unknown>) | undefined
  uuid: string | null
  /** The condition on `p`. */
  where: RawBuilder<boolean>
  indexes: AttributeIndexes
  lists: readonly CodeList[]
  /** The list by which the source reads products, if there is one. */
  list: CodeList | undefined
  /** The length of that list; 0 without one. */
  length: number
  table: 'product' | 'product_value'
  /** Begins a statement: the marker of a custom plan, but for a few forms of filters, whose statements are prepared. */
  plan: RawBuilder<unknown>
}

/**
 * How to read the products that match a filter: by a list of codes if that is short, else all in the order of their
 * codes or of an attribute. `order`: of the page to read; undefined if all products that match are read. `further`:
 * other attributes to read. Throws `invalid_request` for attributes that cannot be used.
 */
export async function selectionOf(
  catalogue: Catalogue,
  storeUuid: string,
  filter: ProductFilter,
  order?: ProductOrder,
  further: readonly { name: string; field: string }[] = [],
): Promise<Selection> {
  const attributes = attributesOf(filter)
  const named = attributes.map(({ filter: { name }, field }) => ({ name, field: `filter${field}.name` }))
  const ordered = order?.attribute == null ? [] : [{ name: order.attribute, field: 'orderBy.attribute' }]
  const used = [...named, ...ordered, ...further]
  const indexes = await findAttributeIndexes(catalogue, storeUuid, used)
  requireBounds(attributes, indexes)
  requireOrdered(order?.attribute, indexes)
  const uuid = visibleStore(catalogue, storeUuid)
  const found = await withCodes(catalogue, uuid, filter)
  const isIndexed = used.length > 0 && used.every(({ name }) => indexes.get(name)?.slot)
  const table = isIndexed && !needsProduct(filter, order ?? byCode) ? 'product_value' : 'product'
  const usesStatus = order?.field === 'status' || partsOf(found).some((part) => part.filter.status != null)
  // A store with an indexed attribute has status keys: no statement is needed where one was found.
  const hasIndexed = [...indexes.values()].some(({ slot }) => slot != null)
  const isByStatus = usesStatus && (hasIndexed || (await hasStatusKeys(catalogue, storeUuid)))
  const lists = found.codes == null ? codeListsOf(uuid, found, indexes, isByStatus) : []
  const { list, length = 0 } = (await shortestList(catalogue, lists, order?.field === 'code')) ?? {}
  const isSearched = partsOf(found).some((part) => part.filter.search != null)
  const searched = (source: RawBuilder<unknown>) =>
    isSearched ? sql`${source} ${withTexts(uuid, order !== undefined)}` : source
  const slot = order?.field === 'status' && isByStatus ? statusSlot : indexes.get(order?.attribute ?? '')?.slot
  const isKeyed = slot != null && found.codes == null && (!list || length > maxLookedUp)
  return {
    source: searched(list ? lookedUp(uuid, table, list.codes) : sql`${sql.table(table)} p`),
    keyedSource: isKeyed
      ? searched(lookedUp(uuid, table, keysInOrder(uuid, slot, found, lists, list), sql`l.key, `))
      : undefined,
    sourceOf: list || found.codes != null ? undefined : searched,
    uuid,
    where: sql<boolean>`p.store_uuid = ${uuid} and ${matching(uuid, found, indexes)}`,
    indexes,
    lists,
    list,
    length,
    table,
    plan: list || (order ?? byCode).field !== 'code' || !isPlain(filter) ? sql`${customPlan} ` : sql``,
  }
}

function isPlain({ status, codePrefix, codes, search, ...others }: ProductFilter): boolean {
  return isBare(others)
}

/** The products `p` of codes, each looked up by its key, in the order of the codes. */
function lookedUp(
  uuid: string | null,
  table: Selection['table'],
  codes: RawBuilder<unknown>,
  further: RawBuilder<unknown> = sql``,
): RawBuilder<unknown> {
  const times = table === 'product' ? sql`, r.created_at, r.updated_at` : sql``
  return sql`(
        select ${further}l.product_code, r.store_uuid, r.status, r.attributes${times}
        from (${codes}) l cross join lateral (
          select * from ${sql.table(table)} where store_uuid = ${uuid} and product_code = l.product_code
          offset 0
        ) r
      ) p`
}

/**
 * The keys and codes of a slot: of the range and the prefix of codes that the filter has, and only the codes of a list,
 * if there is one. `is true` keeps PostgreSQL from a join, for which it might sort all keys. It looks the codes up in a
 * hash table because it expects few and short ones: their hashes, and at most the limit. The limit is never reached:
 * the list was found to be shorter. Products that have the hash of another one do not match the filter.
 */
function keysInOrder(
  uuid: string | null,
  slot: number,
  filter: ProductFilter,
  lists: readonly CodeList[],
  list: CodeList | undefined,
) {
  const range = lists.find(({ keys }) => keys?.index.slot === slot)?.keys?.where ?? false
  const isListed =
    list &&
    sql<boolean>`(hashtextextended(k.product_code, 0) in (
          select hashtextextended(product_code, 0) from (${list.codes}) l limit ${2 * list.maxRead}::integer)) is true`
  return sql`select k.key, k.product_code from ${keysOf(uuid, slot, allOf([range, isListed ?? false, ...prefixConditions(sql`k.product_code`, filter)]))}`
}

/**
 * Of a longer list not all products are looked up: to sort them, keys are read in order until the page is full; to
 * count them, the keys of the other lists are read.
 */
export const maxLookedUp = 5_000
