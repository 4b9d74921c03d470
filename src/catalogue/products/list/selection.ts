import { type RawBuilder, sql } from 'kysely'
import { customPlan } from '../../../database/connection/session.ts'
import { type Catalogue, visibleStore } from '../../catalogue.ts'
import { changedSince } from '../../changes/recent-products.ts'
import { allOf, isBare } from '../../conditions.ts'
import { withCodes, withTexts } from '../../search-codes.ts'
import { statusSlot } from '../../values/value-keys.ts'
import { totalOf } from '../product-totals.ts'
import {
  type AttributeIndexes,
  findAttributeIndexes,
  hasStatusKeys,
  requireBounds,
  requireOrdered,
} from './indexes/attribute-indexes.ts'
import { areClose, type CodeList, codeListsOf, creationsOf, givenList } from './indexes/code-lists.ts'
import { keysOf } from './indexes/key-conditions.ts'
import { isIn, type ShortLists, shortLists } from './indexes/short-lists.ts'
import { creationConditions, matching, prefixConditions } from './matching-products.ts'
import { attributesOf, type ProductFilter, partsOf } from './product-filter.ts'
import { byCode, needsProduct, type ProductOrder } from './product-order.ts'

export interface Selection {
  /** A FROM item of the products `p`, which may include others than those that match. */
  source: RawBuilder<unknown>
  /**
   * The same in the order of a page, without one in that of codes, if an index has it. `where`, `by`: the conditions of
   * the page on the place of a product in the order, and the order.
   */
  orderedSource: ((where: RawBuilder<boolean>, by: RawBuilder<unknown>) => RawBuilder<unknown>) | undefined
  /** Whether the order is that of keys `p.key`, which not all products have. */
  hasKeys: boolean
  /** Whether `orderedSource` may end before all keys are read: it does at `maxWalked`. */
  isCut: boolean
  /** The same as `source` of given products, whichever `source` reads. */
  sourceOf: (products: RawBuilder<unknown>) => RawBuilder<unknown>
  /** About how many products `source` looks up by their codes; infinite if it reads all. */
  lookedUp: number
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
  const usesStatus = order?.field === 'status' || partsOf(found).some((part) => part.filter.status != null)
  // A store with an indexed attribute has status keys: no statement is needed where one was found.
  const hasIndexed = [...indexes.values()].some(({ slot }) => slot != null)
  const isByStatus = usesStatus && (hasIndexed || (await hasStatusKeys(catalogue, storeUuid)))
  // In their own order the last changed products are found in another way.
  const from = found.codes == null && order?.field !== 'updatedAt' ? found.updatedAt?.from : undefined
  const changed = from && (await changedSince(catalogue, storeUuid, from))
  const lists =
    found.codes == null
      ? [...codeListsOf(uuid, found, indexes, isByStatus), ...(changed ? [givenList(changed)] : [])]
      : []
  // A sorted list may have any length for a page in the order of codes.
  const sorted = order?.field === 'code' ? lists.find(({ isSorted }) => isSorted) : undefined
  const short = sorted && lists.length === 1 ? undefined : await shortLists(catalogue, uuid, lists)
  const walk = found.codes == null ? keysOfOrder(uuid, order, indexes, isByStatus, found, lists, short) : undefined
  const isFilled = walk !== undefined && areClose(found, lists)
  const isByCode = order?.field === 'code'
  const listed = isByCode ? (short ?? sorted)?.codes : short && isLookedUp(short, isFilled) ? short.codes : undefined
  const isSearched = partsOf(found).some((part) => part.filter.search != null)
  const searched = (source: RawBuilder<unknown>) =>
    isSearched ? sql`${source} ${withTexts(uuid, order !== undefined)}` : source
  const hasKeys = !listed && walk !== undefined
  const isCut = hasKeys && !short && !isBare(filter) && (await isLarge(catalogue, uuid))
  const inOrder = hasKeys ? walk : isByCode || !order ? listed : undefined
  const limit = isCut ? sql`limit ${maxWalked}` : sql``
  return {
    source: searched(listed ? lookUp(uuid, table, listed) : sql`${sql.table(table)} p`),
    orderedSource:
      inOrder &&
      ((where, by) =>
        searched(
          lookUp(uuid, table, sql`select * from (${inOrder}) p where ${where} order by ${by} ${limit}`, hasKeys),
        )),
    hasKeys,
    isCut,
    sourceOf: searched,
    lookedUp: found.codes?.length ?? (listed && short ? short.length : Number.POSITIVE_INFINITY),
    uuid,
    where: sql<boolean>`p.store_uuid = ${uuid} and ${matching(uuid, found, indexes)}`,
    indexes,
    lists,
    short,
    table,
    plan: listed || (order ?? byCode).field !== 'code' || !isPlain(filter) ? sql`${customPlan} ` : sql``,
  }
}

async function isLarge({ db }: Catalogue, uuid: string | null): Promise<boolean> {
  const { rows } = await sql<{ total: number }>`select ${totalOf(uuid)} as total`.execute(db)
  return (rows[0]?.total ?? 0) > maxWalked
}

function isPlain({ status, codePrefix, codes, search, ...others }: ProductFilter): boolean {
  return isBare(others)
}

/** Reading a product by its code takes as long as reading so many keys. */
const lookupCost = 40
/** A page is filled by so many products: ten times as many as it has, as conditions and the order may be related. */
const pageProducts = 500

/**
 * Whether to look up the products of lists, rather than to read all keys, or products. `isFilled`: keys are read until
 * the products of the lists fill a page.
 */
function isLookedUp({ length, total }: ShortLists, isFilled: boolean) {
  return length * lookupCost <= (isFilled ? Math.min(total, (pageProducts * total) / length) : total)
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
 * A query of the keys and codes that an order is by: of the range and the prefix of codes that the filter has, and only
 * the codes of short lists. Undefined if no index has the order.
 */
function keysOfOrder(
  uuid: string | null,
  order: ProductOrder | undefined,
  indexes: AttributeIndexes,
  isByStatus: boolean,
  filter: ProductFilter,
  lists: readonly CodeList[],
  short: ShortLists | undefined,
): RawBuilder<unknown> | undefined {
  const conditions = [
    short !== undefined && isIn(sql`k.product_code`, short.codes),
    ...prefixConditions(sql`k.product_code`, filter),
  ]
  if (order?.field === 'createdAt') {
    const where = allOf([...creationConditions(sql`k.created_at`, filter), ...conditions])
    return sql`select k.created_at as key, k.product_code from ${creationsOf(uuid, where)}`
  }
  const slot = order?.field === 'status' && isByStatus ? statusSlot : indexes.get(order?.attribute ?? '')?.slot
  if (slot == null) return undefined
  const range = lists.find(({ keys }) => keys?.index.slot === slot)?.keys?.where ?? sql<boolean>`true`
  return sql`select k.key, k.product_code from ${keysOf(uuid, slot, allOf([range, ...conditions]))}`
}

/** A page that so many keys do not fill is read from all products. */
const maxWalked = 25_000
