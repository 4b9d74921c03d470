import { type RawBuilder, sql } from 'kysely'
import { customPlan } from '../../../database/connection/session.ts'
import { type Catalogue, visibleStore } from '../../catalogue.ts'
import { changedSince } from '../../changes/recent-products.ts'
import { allOf, isBare } from '../../conditions.ts'
import { withCodes, withTexts } from '../../search-codes.ts'
import { statusSlot } from '../../values/value-keys.ts'
import {
  type AttributeIndexes,
  findAttributeIndexes,
  hasStatusKeys,
  requireBounds,
  requireOrdered,
} from './indexes/attribute-indexes.ts'
import { areClose, type CodeList, codeListsOf, creationsOf, givenList, prefixList } from './indexes/code-lists.ts'
import { keysOf } from './indexes/key-conditions.ts'
import { isIn, lookupCost, type ShortLists, shortLists } from './indexes/short-lists.ts'
import { creationConditions, matching } from './matching-products.ts'
import { attributesOf, type ProductFilter, partsOf } from './product-filter.ts'
import { byCode, needsProduct, type ProductOrder } from './product-order.ts'

export interface Selection {
  /** A FROM item of the products `p`, which may include others than those that match. */
  source: RawBuilder<unknown>
  /**
   * The products in the order of the page, from an index; without a page, in that of codes. Undefined if no index has
   * it. `where`: the conditions of the cursors; `by`: the order; `most`: so many keys are read at most.
   */
  orderedSource:
    | ((where: RawBuilder<boolean>, by: RawBuilder<unknown>, most?: number) => RawBuilder<unknown>)
    | undefined
  /** The keys that `orderedSource` reads, `p.key`; undefined if it reads codes. */
  keys: RawBuilder<unknown> | undefined
  /** Adds what a search reads to a source of products `p`. */
  withSearch: (products: RawBuilder<unknown>) => RawBuilder<unknown>
  /** Whether `source` looks up products by their codes. */
  isLookedUp: boolean
  uuid: string | null
  /** The condition on `p`. */
  where: RawBuilder<boolean>
  indexes: AttributeIndexes
  lists: readonly CodeList[]
  /** Those of the lists that are short, if any. */
  short: ShortLists | undefined
  table: 'product' | 'product_value'
  /** Begins a statement: the marker of a custom plan, but for a few forms of filters, whose statements are prepared. */
  plan: RawBuilder<unknown>
}

/**
 * How to read the products that match a filter: by lists of codes if they are short, else all in the order of their
 * codes or of a key. `order`: of the page to read; undefined if all products that match are read. `further`: other
 * attributes to read. Throws `invalid_request` for attributes that cannot be used.
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
  const isSearched = partsOf(found).some((part) => part.filter.search != null)
  const withSearch = (source: RawBuilder<unknown>) =>
    isSearched ? sql`${source} ${withTexts(uuid, order !== undefined)}` : source
  const { lists, short, codes, keys } = await listsOf(catalogue, uuid, found, order, indexes)
  const isInCodeOrder = !order || order.field === 'code'
  const inOrder = keys ?? (isInCodeOrder ? codes : undefined)
  return {
    source: withSearch(codes ? lookUp(uuid, table, codes) : sql`${sql.table(table)} p`),
    orderedSource:
      inOrder &&
      ((where, by, most) => {
        const limit = most === undefined ? sql`` : sql`limit ${most}`
        const read = sql`select * from (${inOrder}) p where ${where} order by ${by} ${limit}`
        return withSearch(lookUp(uuid, table, read, keys !== undefined))
      }),
    keys,
    withSearch,
    isLookedUp: codes !== undefined || found.codes != null,
    uuid,
    where: sql<boolean>`p.store_uuid = ${uuid} and ${matching(uuid, found, indexes)}`,
    indexes,
    lists,
    short,
    table,
    plan: codes || !isInCodeOrder || !isPlain(filter) ? sql`${customPlan} ` : sql``,
  }
}

function isPlain({ status, codePrefix, codes, search, ...others }: ProductFilter): boolean {
  return isBare(others)
}

/**
 * The lists of a filter, and what to read: `codes` of products to look up, or the `keys` of an order until a page is
 * full.
 */
async function listsOf(
  catalogue: Catalogue,
  uuid: string | null,
  filter: ProductFilter,
  order: ProductOrder | undefined,
  indexes: AttributeIndexes,
) {
  if (filter.codes != null) return { lists: [] }
  const usesStatus = order?.field === 'status' || partsOf(filter).some((part) => part.filter.status != null)
  // A store with an indexed attribute has status keys: no statement is needed where one was found.
  const hasIndexed = [...indexes.values()].some(({ slot }) => slot != null)
  const isByStatus = usesStatus && (hasIndexed || (await hasStatusKeys(catalogue, uuid)))
  // A page in the order of `updatedAt` reads the ledger itself.
  const from = order?.field === 'updatedAt' ? undefined : filter.updatedAt?.from
  const changed = from && (await changedSince(catalogue, uuid, from))
  const isByCode = order?.field === 'code'
  const lists = [
    ...codeListsOf(uuid, filter, indexes, isByStatus),
    // Without another order the primary key serves a prefix.
    ...(!order || isByCode ? [] : prefixList(uuid, filter)),
    ...(changed ? [givenList(changed)] : []),
  ]
  // A sorted list may have any length for a page in the order of codes.
  const sorted = isByCode ? lists.find(({ isSorted }) => isSorted) : undefined
  const short = sorted && lists.length === 1 ? undefined : await shortLists(catalogue, uuid, lists)
  const slot = order?.field === 'status' && isByStatus ? statusSlot : indexes.get(order?.attribute ?? '')?.slot
  const isDense = areClose(filter, lists)
  if (isByCode) {
    const isListed = short && isCheaper(short.length, short, isDense)
    return { lists, short, codes: isListed ? short.codes : sorted?.codes }
  }
  const lookups = short ? short.length * lookupCost : 0
  const codes = short && isCheaper(lookups, short, false) ? short.codes : undefined
  const keys = keysOfOrder(uuid, order, slot, filter, lists, short)
  return { lists, short, codes, keys: short && isCheaper(lookups, short, isDense) ? undefined : keys }
}

/** A page is filled by so many products: ten times as many as it has, as conditions and the order may be related. */
const pageProducts = 500

/**
 * Whether something costs less than reading keys in order. `isDense`: most products of the lists match, so that a page
 * is filled before all keys are read.
 */
function isCheaper(cost: number, { length, total }: ShortLists, isDense: boolean): boolean {
  return cost <= (isDense ? Math.min(total, (pageProducts * total) / Math.max(length, 1)) : total)
}

/** The products `p` of codes, each looked up by its key, in the order of the codes. */
function lookUp(
  uuid: string | null,
  table: Selection['table'],
  codes: RawBuilder<unknown>,
  hasKeys = false,
): RawBuilder<unknown> {
  const key = hasKeys ? sql`l.key, ` : sql``
  const times = table === 'product' ? sql`, r.created_at, r.updated_at` : sql``
  return sql`(
        select ${key}l.product_code, r.store_uuid, r.status, r.attributes${times}
        from (${codes}) l cross join lateral (
          select * from ${sql.table(table)} where store_uuid = ${uuid} and product_code = l.product_code
          offset 0
        ) r
      ) p`
}

/**
 * A query of the keys and codes that an order is by: of the range of keys that the filter has, and only the codes of
 * short lists. Undefined if no index has the order.
 */
function keysOfOrder(
  uuid: string | null,
  order: ProductOrder | undefined,
  slot: number | null | undefined,
  filter: ProductFilter,
  lists: readonly CodeList[],
  short: ShortLists | undefined,
): RawBuilder<unknown> | undefined {
  const isListed = short !== undefined && isIn(sql`k.product_code`, short.codes)
  if (order?.field === 'createdAt') {
    const where = allOf([...creationConditions(sql`k.created_at`, filter), isListed])
    return sql`select k.created_at as key, k.product_code from ${creationsOf(uuid, where)}`
  }
  if (slot == null) return undefined
  const range = lists.find(({ keys }) => keys?.index.slot === slot)?.keys?.where ?? sql<boolean>`true`
  return sql`select k.key, k.product_code from ${keysOf(uuid, slot, allOf([range, isListed]))}`
}
