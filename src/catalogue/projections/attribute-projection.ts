import { type RawBuilder, sql } from 'kysely'
import { onlyRow } from '../../database/only-row.ts'
import type { Catalogue, WriteCatalogue } from '../catalogue.ts'
import type { Projection } from './projection.ts'

/** How many products a step of a build reads at most. */
const stepSize = 1_000

/**
 * A table that has a row for each product of a store, or for some, with values of attributes. `state` has a row for
 * each part of these values, with how far it is built. `built_to`: of products with codes up to this one, which are
 * `built`; null: of all.
 */
interface AttributeTable extends Pick<Projection, 'name' | 'state' | 'apply' | 'check'> {
  table: string
  /** What a definition of an attribute must be for its values to be in the rows. */
  use: 'filterable' | 'searchable'
  /** Brings `state` up to date with the definitions. */
  updateState(catalogue: WriteCatalogue, storeUuid: string): Promise<void>
}

/** A projection that is built in the order of codes, and whose rows are deleted where no definition requires them. */
export function attributeProjection(values: AttributeTable): Projection {
  return {
    ...values,
    build: (catalogue, storeUuid) => buildStep(catalogue, storeUuid, values),
    progress: (catalogue, storeUuid) => readProgress(catalogue, storeUuid, values),
  }
}

async function buildStep(catalogue: WriteCatalogue, storeUuid: string, values: AttributeTable): Promise<boolean> {
  await values.updateState(catalogue, storeUuid)
  const { parts, waiting, from } = await readState(catalogue, storeUuid, values)
  if (parts === 0) return deleteSome(catalogue, storeUuid, values)
  if (waiting === 0) return false
  const codes = await nextCodes(catalogue, storeUuid, values, from)
  if (codes.length > 0) await values.apply(catalogue, storeUuid, codes)
  const last = codes.length < stepSize ? null : (codes.at(-1) ?? null)
  await sql`
    update ${sql.table(values.state)} set built_to = ${last}, built = built + (
      select count(*) from unnest(${codes}::text[]) code where code collate "C" > built_to)
    where store_uuid = ${storeUuid}
      and (built_to <= ${last} or ${last}::text is null)`.execute(catalogue.db)
  return last !== null
}

interface State {
  parts: number
  /** How many of the parts are not built yet, after which code, and how many products they have at least. */
  waiting: number
  from: string
  built: number
}

async function readState({ db }: Catalogue, storeUuid: string, { state }: AttributeTable): Promise<State> {
  const { rows } = await sql<State>`
    select count(*)::integer as parts, count(built_to)::integer as waiting, coalesce(min(built_to), '') as from,
      coalesce(min(built) filter (where built_to is not null), 0) as built
    from ${sql.table(state)} where store_uuid = ${storeUuid}`.execute(db)
  return onlyRow(rows)
}

/** The next codes of products, and of rows: a product may have been deleted while no definition required rows. */
async function nextCodes(
  { db }: WriteCatalogue,
  storeUuid: string,
  { table }: AttributeTable,
  from: string,
): Promise<string[]> {
  const next = (name: string) => sql`(
    select product_code as code from ${sql.table(name)} where store_uuid = ${storeUuid} and product_code > ${from}
    order by product_code limit ${stepSize})`
  const { rows } = await sql<{ code: string }>`
    ${next('product')} union ${next(table)} order by code limit ${stepSize}`.execute(db)
  return rows.map(({ code }) => code)
}

async function deleteSome({ db }: WriteCatalogue, storeUuid: string, { table }: AttributeTable): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where store_uuid = ${storeUuid} and product_code = any(array(
      select product_code from ${sql.table(table)} where store_uuid = ${storeUuid}
      order by product_code limit ${stepSize}))`.execute(db)
  return numAffectedRows === BigInt(stepSize)
}

async function readProgress(catalogue: Catalogue, storeUuid: string, values: AttributeTable) {
  const { rows: definitions } = await sql`
    select from attribute_definition where store_uuid = ${storeUuid} and ${sql.ref(values.use)} limit 1`.execute(
    catalogue.db,
  )
  if (definitions.length === 0) return undefined
  const { parts, waiting, built } = await readState(catalogue, storeUuid, values)
  return { isBuilt: waiting < parts, isBuilding: parts === 0 || waiting > 0, done: built }
}

/** SQL: the products of a store, or some of them, with their attributes decompressed once for all columns. */
export function productsOf(storeUuid: string, codes?: readonly string[]): RawBuilder<unknown> {
  const given = codes ? sql`and product_code = any(${[...codes]}::text[])` : sql``
  return sql`(
    select product_code, status, created_at, updated_at, attributes || '{}' as attributes
    from product where store_uuid = ${storeUuid} ${given}
    offset 0)`
}
