import { sql } from 'kysely'
import { checkReadModel } from '../../../src/catalogue/asset-groups/check-read-model.ts'
import type { TestDatabase } from './database.ts'

/** Where the indexed values of products, or their counts, are not what the products have, or are not used. */
export async function valueFaults({ db }: TestDatabase): Promise<unknown[]> {
  const differences = await checkReadModel(db)
  const { rows } = await sql`
    select * from attribute_definition where filterable <> (slot is not null) or filterable <> is_indexed`.execute(db)
  return [...differences.filter(({ what }) => what.startsWith('value')), ...rows]
}
