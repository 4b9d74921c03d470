import { sql } from 'kysely'
import { invalidRequest } from '../../../errors.ts'
import { shown } from '../../../text.ts'
import type { AttributeDefinition } from '../../attributes/attribute-rules.ts'
import { type Catalogue, visibleStore } from '../../catalogue.ts'
import { onlyRow } from '../../conditions.ts'
import { asOf } from '../../projections/queue.ts'
import { attributesOf, type ProductFilter, partsOf } from '../list/product-filter.ts'
import type { ProductOrder } from '../list/product-order.ts'
import { totalOf } from '../product-totals.ts'
import { requireBounds, requireOrdered } from './bounds.ts'

/** The declared type of an attribute, if any, and its slot, if `product_index` has the values of all products. */
interface Attribute {
  type: AttributeDefinition['type'] | undefined
  slot: number | undefined
}

/** What a query reads as `p`. */
export interface Source {
  table: 'product' | 'product_index'
  uuid: string | null
  attributeOf(name: string): Attribute
  /** All changes committed until then are in it, and of later ones at most some; undefined: it is that of now. */
  asOf?: Date
}

/** A smaller store is read from `product`: its products are few enough, and are those of now. */
export const maxSmall = 5_000
/** In a larger store only indexed attributes can be used. */
export const maxScanned = 50_000

/** What is asked of products. `facets`: names of attributes. */
interface Question {
  filter: ProductFilter
  order?: ProductOrder | undefined
  facets?: readonly string[]
}

interface Known {
  products: number
  asOf: Date
  isIndexed: boolean
  attributes: Record<
    string,
    { type: AttributeDefinition['type']; slot: number | null; isBuilt: boolean; built: number }
  >
}

/**
 * Chooses what answers a question: `product_index` if it has all attributes that are named, and the store is not small;
 * otherwise `product`. Throws `invalid_request` for attributes that cannot be used so.
 */
export async function chooseSource(catalogue: Catalogue, storeUuid: string, question: Question): Promise<Source> {
  await catalogue.caughtUp?.(storeUuid)
  const uuid = visibleStore(catalogue, storeUuid)
  if (!needsColumns(question)) return { table: 'product', uuid, attributeOf: () => unknown }
  const named = namesOf(question)
  const known = await findKnown(catalogue, uuid, [...new Set(named.map(({ name }) => name))])
  const attributeOf = (name: string): Attribute => {
    const { type, slot = null, isBuilt } = known.attributes[name] ?? {}
    return { type, slot: slot !== null && isBuilt ? slot : undefined }
  }
  const missing = named.filter(({ name }) => attributeOf(name).slot === undefined)
  if (known.products > maxScanned && missing.length > 0) throw notIndexed(missing, known)
  requireBounds(attributesOf(question.filter), (name) => attributeOf(name).type)
  requireOrdered(question.order?.attribute, (name) => attributeOf(name).type)
  const isIndexed = known.isIndexed && missing.length === 0 && known.products > maxSmall
  return isIndexed
    ? { table: 'product_index', uuid, attributeOf, asOf: known.asOf }
    : { table: 'product', uuid, attributeOf }
}

const unknown: Attribute = { type: undefined, slot: undefined }

/** Whether a question is about more than codes and what other tables have: those are read by the key of `product`. */
function needsColumns({ filter, order, facets = [] }: Question): boolean {
  const isOwn = ({ attributes, status, createdAt, updatedAt }: ProductFilter) =>
    (attributes ?? status ?? createdAt ?? updatedAt) != null
  return facets.length > 0 || (order?.field ?? 'code') !== 'code' || partsOf(filter).some((part) => isOwn(part.filter))
}

function namesOf({ filter, order, facets = [] }: Question): { name: string; field: string }[] {
  return [
    ...attributesOf(filter).map(({ filter: { name }, field }) => ({ name, field: `filter${field}.name` })),
    ...(order?.attribute == null ? [] : [{ name: order.attribute, field: 'orderBy.attribute' }]),
    ...facets.map((name, i) => ({ name, field: `names[${i}]` })),
  ]
}

async function findKnown({ db }: Catalogue, uuid: string | null, names: readonly string[]): Promise<Known> {
  const { rows } = await sql<Known>`
    select ${totalOf(uuid)} as products, ${asOf(uuid, 'FILTERS')} as "asOf",
      exists (select from product_index_slot where store_uuid = ${uuid} and built_to is null) as "isIndexed",
      (
        select coalesce(jsonb_object_agg(d.name, json_build_object(
          'type', d.type, 'slot', s.slot, 'isBuilt', s.built_to is null, 'built', s.built)), '{}')
        from attribute_definition d left join product_index_slot s
          on s.store_uuid = ${uuid} and s.name = d.name and s.is_number = (d.type = 'number') and d.filterable
        where d.store_uuid = ${uuid} and d.name = any(${[...names]}::text[])
      ) as attributes`.execute(db)
  return onlyRow(rows)
}

function notIndexed(missing: readonly { name: string; field: string }[], { attributes, products }: Known) {
  const count = (n: number) => n.toLocaleString('en')
  const faults = missing.map(({ name, field }) => {
    const { slot = null, built = 0 } = attributes[name] ?? {}
    const wanted = `${field} must be an attribute that is declared filterable and indexed`
    const of = `in a store of more than ${count(maxScanned)} products; ${shown(name)}`
    const isNot =
      slot === null
        ? 'is not: declare it by defineAttributes'
        : `is being indexed: ${count(built)} of ${count(products)} products`
    return { field, details: `${wanted}, ${of} ${isNot}` }
  })
  return invalidRequest(faults)
}
