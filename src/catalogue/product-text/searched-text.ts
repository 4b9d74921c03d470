import { type RawBuilder, sql } from 'kysely'
import { containing } from '../conditions.ts'

/** The largest number of searchable attributes in a store. */
export const maxSearchable = 4

/** SQL: the names of the searchable attributes of a store, in their order. */
export const searchableNames = (storeUuid: string | null): RawBuilder<string[]> => sql<string[]>`array(
      select name from attribute_definition where store_uuid = ${storeUuid} and searchable order by name)`

/** SQL: the values of some attributes of a product `p`; empty if it has none. */
export const joinedValues = (names: readonly string[]): RawBuilder<string> =>
  sql<string>`concat_ws(chr(31), ${sql.join(names.map((name) => sql`p.attributes ->> ${name}::text`))})`

/** SQL: what a search compares of a product `p` with these searchable attributes. */
export const searchedText = (names: readonly string[]): RawBuilder<string> =>
  sql<string>`folded(${joinedValues(names)})`

/** SQL: whether such a text has a substring. */
export const hasText = (text: RawBuilder<string>, substring: string): RawBuilder<boolean> =>
  sql<boolean>`${text} like (select folded(${containing(substring)}::text))`
