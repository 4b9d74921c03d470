import { type RawBuilder, sql } from 'kysely'
import { unavailable } from '../../../errors.ts'
import { withCore } from '../../../request/context.ts'
import { type Catalogue, visibleStore } from '../../catalogue.ts'
import { allOf } from '../../conditions.ts'
import { databaseTime } from '../../projections/as-of.ts'
import { type ProjectionName, projectionNames } from '../../projections/projection.ts'
import { type FilterField, filterFields } from './filter-fields.ts'
import { byCode, type ProductOrder } from './order.ts'
import { attributesOf, filtersWithin, type ProductFilter } from './product-filter.ts'
import { findStoreFacts, requireUsable, textsAreBuilt } from './store-facts.ts'
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
  /** The version of `product_index`, if it is read, and as of when. */
  index?: { version: string; asOf: Date } | undefined
  state: { [Name in keyof SourceState]: RawBuilder<SourceState[Name]> }
}

/** What each statement on a source reads in addition to its rows. */
export interface SourceState {
  /**
   * All changes committed until then are in it, and of later ones at most some. Where more than one statement reads it,
   * this is of the first one.
   */
  asOf: Date
  /** Whether the projections still have what they had when the source was chosen. */
  isCurrent: boolean
}

/** SQL: the columns of a `SourceState`. `isWhole`: what else must be true. */
export const selectedState = ({ state }: Source, isWhole = sql<boolean>`true`) =>
  sql`${state.asOf} as "asOf", ${state.isCurrent} and ${isWhole} as "isCurrent"`

/** The fields in which a filter has conditions. */
export function usedFields(filter: ProductFilter): FilterField[] {
  return Object.entries(filterFields).flatMap(([name, field]) => {
    return filter[name as keyof ProductFilter] == null ? [] : [field]
  })
}

/** Whether a list may read all products of the store, for instance to find those of a rare status. */
export function isCostly(filter: ProductFilter, order?: ProductOrder | null): boolean {
  return usedFields(filter).some(({ reads }) => !reads) || (order ?? byCode).field !== 'code'
}

/** Whether a number of products is that of rows that are read: so it is with a prefix, which all may have. */
export function isCostlyToCount(filter: ProductFilter): boolean {
  return usedFields(filter).some(({ reads }) => reads !== 'codes')
}

/**
 * Whether the plan of a statement is kept, whatever it costs: the same one is good for all values of these conditions.
 * Others are planned for their values.
 */
export function isPrepared(source: Source, filter: ProductFilter, order: ProductOrder): boolean {
  return source.table === 'product' && order.field === 'code' && usedFields(filter).every((field) => field.hasOnePlan)
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
    const state = { asOf: databaseTime, isCurrent: sql<boolean>`true` }
    return { table: 'product', uuid, attributeOf: () => ({}), searched: [], state }
  }
  const names = [...new Set(named.map(({ name }) => name))]
  const facts = await withCore(async () => {
    await catalogue.waitForProjections?.(storeUuid)
    return findStoreFacts(catalogue, uuid, names)
  }, false)
  const attributeOf = (name: string) => {
    const { type, slot } = facts.attributes[name] ?? {}
    return { type, slot: slot ?? undefined }
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
    index: isIndexed && facts.version !== null ? { version: facts.version, asOf: facts.FILTERS } : undefined,
    state: {
      asOf: sql`${new Date(Math.min(...times.map(Number)))}::timestamptz`,
      isCurrent: allOf([isIndexed && haveSlots(uuid, names, attributeOf), readsTexts && textsAreBuilt(uuid)]),
    },
  }
}

/** The projections that may answer a question; without one it is answered from `product`. */
function projectionsOf(question: Question): ProjectionName[] {
  const { filter, order = byCode, isExact = false } = question
  const used = new Set(
    filtersWithin(filter).flatMap((one) => usedFields(one.filter).map(({ projection }) => projection)),
  )
  const isOfColumns = used.has('FILTERS') || order.field !== 'code'
  const mayBeIndexed = namesOf(question).length > 0 || (isOfColumns && !isExact)
  return projectionNames.filter((name) => (name === 'FILTERS' ? mayBeIndexed && filter.codes == null : used.has(name)))
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
