import { sql } from 'kysely'
import type { Catalogue } from '../catalogue.ts'
import { isOfCatalogue } from '../changes/change.ts'
import { type Enumerations, enumNameOf, productStatuses } from '../enumerations.ts'
import { listStores, storesToRead } from '../stores/list-stores.ts'
import type { Store } from '../stores/stores.ts'
import type { RowsRequest } from './rows-of-stores.ts'

export type OptionKind = 'store' | 'channel' | 'format' | 'status' | 'attribute' | 'operation' | 'actor'

export interface Option {
  /** The label. */
  text: string
  /** The value for arguments and filters. */
  value: string
}

export const maxOptions = 1_000

interface Given {
  search?: string | null | undefined
  storeUuids?: RowsRequest['storeUuids']
}

/** The choices for a variable of a dashboard, in alphabetical order; `search`: part of the label. */
export async function listOptions(
  catalogue: Catalogue,
  enumerations: Enumerations,
  of: OptionKind,
  given: Given,
): Promise<Option[]> {
  const found = new Map<string, Option>()
  for (const option of await optionsOf(catalogue, enumerations, of, given)) found.set(option.value, option)
  const isWanted = ({ text }: Option) => text.toLowerCase().includes((given.search ?? '').toLowerCase())
  const compare = (a: Option, b: Option) => a.text.localeCompare(b.text, 'en') || (a.value < b.value ? -1 : 1)
  return [...found.values()].filter(isWanted).sort(compare).slice(0, maxOptions)
}

async function optionsOf(
  catalogue: Catalogue,
  enumerations: Enumerations,
  of: OptionKind,
  given: Given,
): Promise<Option[]> {
  const named = (values: readonly string[]) => values.map((value) => ({ text: value, value }))
  switch (of) {
    case 'format':
      return named(enumerations.assetFormats)
    case 'status':
      return productStatuses.map((status) => ({ text: status, value: enumNameOf(status) }))
    case 'store':
      return (await storesOf(catalogue, given, given.search)).map(({ storeName, storeUuid }) => ({
        text: storeName,
        value: storeUuid,
      }))
    case 'channel':
      return named((await storesOf(catalogue, given)).flatMap(({ channels }) => channels))
    default:
      return named(await namesOf(catalogue, of, given))
  }
}

/** The given stores, or the first ones of the viewer. */
function storesOf(catalogue: Catalogue, { storeUuids }: Given, search?: string | null): Promise<Store[]> {
  if (storeUuids != null) return storesToRead(catalogue, storeUuids)
  return listStores(catalogue, { ...(search && { search }) }, { limit: maxOptions, backwards: false })
}

/** Queries of names of which a store can have many. */
const sources = {
  attribute: (storeUuid: string) => sql`select name from attribute_definition where store_uuid = ${storeUuid}`,
  operation: (storeUuid: string) => sql`select operation as name from (${lastChanges(storeUuid)}) last`,
  actor: (storeUuid: string) => sql`select actor as name from (${lastChanges(storeUuid)}) last`,
}

const lastChanges = (storeUuid: string) =>
  sql`select operation, actor from change where store_uuid = ${storeUuid} and ${isOfCatalogue}
    order by tx desc, seq desc, at desc limit 1000`

async function namesOf(
  catalogue: Catalogue,
  of: keyof typeof sources,
  { search, storeUuids }: Given,
): Promise<string[]> {
  const names = new Set<string>()
  for (const { storeUuid } of await storesToRead(catalogue, storeUuids)) {
    const { rows } = await sql<{ name: string }>`
      select distinct name from (${sources[of](storeUuid)}) all_names
      where strpos(lower(name), lower(${search ?? ''}::text)) > 0 order by name limit ${maxOptions}`.execute(
      catalogue.db,
    )
    for (const { name } of rows) names.add(name)
    if (names.size >= maxOptions) break
  }
  return [...names]
}
