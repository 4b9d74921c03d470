import { type RawBuilder, sql } from 'kysely'
import { invalidRequest, unavailable } from '../../../errors.ts'
import { costly } from '../../../request/context.ts'
import { shown } from '../../../text.ts'
import type { AttributeDefinition } from '../../attributes/attribute-rules.ts'
import { type Catalogue, visibleStore } from '../../catalogue.ts'
import { allOf } from '../../conditions.ts'
import { databaseTime } from '../../projections/queue.ts'
import { requireBounds, requireOrdered } from './bounds.ts'
import { findKnown, hasTexts, type Known } from './find-known.ts'
import { attributesOf, filtersWithin, type ProductFilter } from './product-filter.ts'
import { namesOf, projectionsOf, type Question } from './question.ts'

/** The declared type of an attribute, if any, and its slot, if `product_index` has the values of all products. */
interface Attribute {
  type?: AttributeDefinition['type'] | undefined
  slot?: number | undefined
}

/** What a query reads as `p`. */
export interface Source {
  table: 'product' | 'product_index'
  uuid: string | null
  attributeOf(name: string): Attribute
  /** The searchable attributes, if a search reads them from the products; undefined: it reads `product_text`. */
  searched: readonly string[] | undefined
  /**
   * SQL: all changes committed until then are in it, and of later ones at most some. Where more than one statement
   * reads it, this is of the first one.
   */
  asOf: RawBuilder<Date>
  /** The rows of `product_index`, if they are read: what version they are, and as of when. */
  rows?: { version: string; asOf: Date } | undefined
  /** SQL: whether the projections still have what they had when the source was chosen. */
  isCurrent: RawBuilder<boolean>
}

/** What each statement on a source reads beside its rows. */
export interface SourceState {
  asOf: Date
  isCurrent: boolean
}

/** SQL: the columns of a `SourceState`. `isWhole`: what else must be true. */
export const stateOf = ({ asOf, isCurrent }: Source, isWhole = sql<boolean>`true`) =>
  sql`${asOf} as "asOf", ${isCurrent} and ${isWhole} as "isCurrent"`

/** A smaller store is read from `product`: its products are few enough, and are those of now. */
export const maxSmall = 5_000
/** In a larger store only indexed attributes can be used. */
export const maxScanned = 50_000

/** How often a source is chosen because the last choice is no longer right. */
const maxAttempts = 5

/**
 * Reads from the source that is chosen for a question, and again if the statement finds that the choice is outdated:
 * `read` returns undefined then. Throws `invalid_request` for attributes that cannot be used so.
 */
export async function readSource<T>(
  catalogue: Catalogue,
  storeUuid: string,
  question: Question,
  read: (source: Source) => Promise<T | undefined>,
): Promise<T> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const answer = await read(await chooseSource(catalogue, storeUuid, question))
    if (answer !== undefined) return answer
  }
  throw unavailable('unavailable', new Error(`the indexed attributes of the store ${storeUuid} change all the time`))
}

/**
 * Chooses what answers a question: `product_index` if it has all attributes that are named, and the store is not small;
 * otherwise `product`. Throws `invalid_request` for attributes that cannot be used so.
 */
export async function chooseSource(catalogue: Catalogue, storeUuid: string, question: Question): Promise<Source> {
  const uuid = visibleStore(catalogue, storeUuid)
  const projections = projectionsOf(question)
  const named = namesOf(question)
  if (projections.length + named.length === 0) {
    return { table: 'product', uuid, attributeOf: () => ({}), searched: [], asOf: databaseTime, isCurrent: sql`true` }
  }
  const names = [...new Set(named.map(({ name }) => name))]
  const known = await costly(async () => {
    await catalogue.caughtUp?.(storeUuid)
    return findKnown(catalogue, uuid, names)
  }, false)
  const attributeOf = (name: string): Attribute => {
    const { type, slot = null, isBuilt } = known.attributes[name] ?? {}
    return { type, slot: slot !== null && isBuilt ? slot : undefined }
  }
  const missing = named.filter(({ name }) => attributeOf(name).slot === undefined)
  requireIndexed(missing, question.filter, known)
  requireBounds(attributesOf(question.filter), (name) => attributeOf(name).type)
  requireOrdered(question.order?.attribute, (name) => attributeOf(name).type)
  const isLarge = known.products > maxSmall
  const isIndexed = projections.includes('FILTERS') && isLarge && known.isIndexed && missing.length === 0
  const readsTexts = projections.includes('SEARCH') && isLarge && known.hasTexts
  const isRead = { FILTERS: isIndexed, SEARCH: readsTexts, READINESS: true }
  const times = [known.now, ...projections.filter((name) => isRead[name]).map((name) => known[name])]
  return {
    table: isIndexed ? 'product_index' : 'product',
    uuid,
    attributeOf,
    searched: readsTexts ? undefined : known.searchable,
    asOf: sql<Date>`${new Date(Math.min(...times.map(Number)))}::timestamptz`,
    rows: isIndexed && known.version !== null ? { version: known.version, asOf: known.FILTERS } : undefined,
    isCurrent: allOf([isIndexed && haveSlots(uuid, names, attributeOf), readsTexts && hasTexts(uuid)]),
  }
}

/** SQL: whether some attributes have their slots in `product_index`, or any attribute if none is named. */
function haveSlots(uuid: string | null, names: readonly string[], attributeOf: Source['attributeOf']) {
  const slots = names.map((name) => {
    const { type, slot } = attributeOf(name)
    return sql`(${slot}::smallint, ${name}::text, ${type === 'number'}::boolean)`
  })
  const among = slots.length > 0 ? sql`and (slot, name, is_number) in (${sql.join(slots)})` : sql``
  return sql<boolean>`(
      select count(*) >= ${Math.max(1, slots.length)}::integer from product_index_slot
      where store_uuid = ${uuid} and built_to is null ${among}
    )`
}

/** Throws `invalid_request` for attributes and searches that a large store has to index before. */
function requireIndexed(missing: readonly { name: string; field: string }[], filter: ProductFilter, known: Known) {
  const { attributes, products, searchable } = known
  if (products <= maxScanned) return
  const count = (n: number) => n.toLocaleString('en')
  const within = `in a store of more than ${count(maxScanned)} products`
  const progress = (built: number) => `being indexed: ${count(built)} of ${count(products)} products`
  const named = missing.map(({ name, field }) => {
    const { isFilterable, built } = attributes[name] ?? {}
    const isNot = isFilterable ? `is ${progress(built ?? 0)}` : 'is not: declare it by defineAttributes'
    const wanted = `must be an attribute that is declared filterable and indexed, ${within}`
    return { field, details: `${field} ${wanted}; ${shown(name)} ${isNot}` }
  })
  const isIncomplete = searchable.length > 0 && !known.hasTexts
  const searches = filtersWithin(filter).flatMap(({ filter: { search }, field: at }) => {
    const field = `filter${at}.search`
    const details = `${field} must wait until all searchable attributes are indexed, ${within}; they are ${progress(known.texts)}`
    return isIncomplete && search != null ? [{ field, details }] : []
  })
  const faults = [...named, ...searches]
  if (faults.length > 0) throw invalidRequest(faults)
}
