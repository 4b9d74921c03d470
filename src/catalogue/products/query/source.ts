import { type RawBuilder, sql } from 'kysely'
import { unavailable } from '../../../errors.ts'
import { withCore } from '../../../request/context.ts'
import { type Catalogue, visibleStore } from '../../catalogue.ts'
import { allOf, isBare } from '../../conditions.ts'
import { databaseTime } from '../../projections/as-of.ts'
import { type ProjectionName, projectionNames } from '../../projections/projection.ts'
import { byCode, type ProductOrder } from './order.ts'
import { attributesOf, filtersWithin, type ProductFilter } from './product-filter.ts'
import { findStoreFacts, hasTexts, requireUsable } from './store-facts.ts'
import type { ValueSource } from './values.ts'

/** What a request reads of products. `facets`: names of attributes. */
export interface Question {
  filter: ProductFilter
  order?: ProductOrder | undefined
  facets?: readonly string[]
  /** Whether the answer must be that of now, unless attributes are named: these may make it read `product_index`. */
  isExact?: boolean
}

/** What a query reads as `p`. */
export interface Source extends ValueSource {
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

/** What each statement on a source reads in addition to its rows. */
export interface SourceState {
  asOf: Date
  isCurrent: boolean
}

/** SQL: the columns of a `SourceState`. `isWhole`: what else must be true. */
export const sourceState = ({ asOf, isCurrent }: Source, isWhole = sql<boolean>`true`) =>
  sql`${asOf} as "asOf", ${isCurrent} and ${isWhole} as "isCurrent"`

/**
 * Whether a list may read all products of the store, for instance to find those of a rare status: only the codes have
 * an index in every store.
 */
export function isCostly({ codes: _, codePrefix: __, ...others }: ProductFilter, order?: ProductOrder | null): boolean {
  return !isBare(others) || (order ?? byCode).field !== 'code'
}

/** Whether a number of products is that of rows that are read: so it is with a prefix, which all may have. */
export function isCostlyToCount({ codes: _, ...others }: ProductFilter): boolean {
  return !isBare(others)
}

/**
 * Whether the plan of a statement is kept, whatever it costs: the same one is good for all values of these conditions.
 * Others are planned for their values.
 */
export function isPrepared(source: Source, filter: ProductFilter, order: ProductOrder): boolean {
  const { status: _, codePrefix: __, codes: ___, search: ____, ...others } = filter
  return source.table === 'product' && order.field === 'code' && isBare(others)
}

/** A store with no more products is read from `product`: that is fast enough, and answers as of now. */
const maxSmall = 5_000

/** How often a source is chosen again because the last choice is outdated. */
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
 * otherwise `product`.
 */
export async function chooseSource(catalogue: Catalogue, storeUuid: string, question: Question): Promise<Source> {
  const uuid = visibleStore(catalogue, storeUuid)
  const projections = projectionsOf(question)
  const named = namesOf(question)
  if (projections.length + named.length === 0) {
    return { table: 'product', uuid, attributeOf: () => ({}), searched: [], asOf: databaseTime, isCurrent: sql`true` }
  }
  const names = [...new Set(named.map(({ name }) => name))]
  const facts = await withCore(async () => {
    await catalogue.waitForProjections?.(storeUuid)
    return findStoreFacts(catalogue, uuid, names)
  }, false)
  const attributeOf = (name: string) => {
    const { type, slot = null, isBuilt } = facts.attributes[name] ?? {}
    return { type, slot: slot !== null && isBuilt ? slot : undefined }
  }
  const missing = named.filter(({ name }) => attributeOf(name).slot === undefined)
  requireUsable(question, missing, facts, (name) => attributeOf(name).type)
  const isLarge = facts.products > maxSmall
  const isIndexed = projections.includes('FILTERS') && isLarge && facts.isIndexed && missing.length === 0
  const readsTexts = projections.includes('SEARCH') && isLarge && facts.hasTexts
  const isRead: Record<ProjectionName, boolean> = { FILTERS: isIndexed, SEARCH: readsTexts, READINESS: true }
  const times = [facts.now, ...projections.filter((name) => isRead[name]).map((name) => facts[name])]
  return {
    table: isIndexed ? 'product_index' : 'product',
    uuid,
    attributeOf,
    searched: readsTexts ? undefined : facts.searchable,
    asOf: sql<Date>`${new Date(Math.min(...times.map(Number)))}::timestamptz`,
    rows: isIndexed && facts.version !== null ? { version: facts.version, asOf: facts.FILTERS } : undefined,
    isCurrent: allOf([isIndexed && haveSlots(uuid, names, attributeOf), readsTexts && hasTexts(uuid)]),
  }
}

/** The projections that may answer a question; without one it is answered from `product`. */
function projectionsOf(question: Question): ProjectionName[] {
  const { filter, order, isExact = false } = question
  const filters = filtersWithin(filter).map((one) => one.filter)
  const has = (...fields: (keyof ProductFilter)[]) => filters.some((one) => fields.some((field) => one[field] != null))
  const isByOwn = has('status', 'createdAt', 'updatedAt') || (order?.field ?? 'code') !== 'code'
  const isOfColumns = namesOf(question).length > 0 || (isByOwn && !isExact)
  const uses: Record<ProjectionName, boolean> = {
    FILTERS: filter.codes == null && isOfColumns,
    SEARCH: has('search'),
    READINESS: has('blockedOn', 'readyOn'),
  }
  return projectionNames.filter((name) => uses[name])
}

/** The attributes that a question names, and where. */
function namesOf({ filter, order, facets = [] }: Question): { name: string; field: string }[] {
  return [
    ...attributesOf(filter).map(({ filter: { name }, field }) => ({ name, field: `filter${field}.name` })),
    ...(order?.attribute == null ? [] : [{ name: order.attribute, field: 'orderBy.attribute' }]),
    ...facets.map((name, i) => ({ name, field: `names[${i}]` })),
  ]
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
