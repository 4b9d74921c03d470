import { sql } from 'kysely'
import { type Catalogue, visibleStore } from '../catalogue.ts'
import { type ChangeRow, changeColumns, changeOf, headColumns, type ReadChange } from './change.ts'
import { ledgerName } from './cursor.ts'

export interface ChangeKey {
  storeUuid: string
  tx: string
  seq: string
}

export function changeName({ tx, seq }: ChangeKey): string {
  return `${tx}/${seq}`
}

/** The changes of a store with these numbers, by name. */
export async function findChanges<HasItems extends boolean>(
  catalogue: Catalogue,
  storeUuid: string,
  keys: readonly ChangeKey[],
  hasItems: HasItems,
): Promise<Map<string, ReadChange<HasItems>>> {
  const possible = keys.filter(({ tx, seq }) => fitsNumber(tx) && fitsNumber(seq))
  if (possible.length === 0) return new Map()
  const { rows } = await sql<ChangeRow & { ledger: string }>`
    with h as materialized ${ledgerName}
    select c.*, h.ledger from h
      cross join unnest(${possible.map(({ tx }) => tx)}::text[], ${possible.map(({ seq }) => seq)}::text[]) k(tx, seq)
      cross join lateral (
        select ${hasItems ? changeColumns : headColumns} from change c
        where c.store_uuid = ${visibleStore(catalogue, storeUuid)} and c.tx = k.tx::xid8 and c.seq = k.seq::bigint
        offset 0
      ) c`.execute(catalogue.db)
  return new Map(rows.map((row) => [changeName(row), changeOf(row, row.ledger) as ReadChange<HasItems>]))
}

/** Whether it is a number that both types can hold. */
function fitsNumber(text: string): boolean {
  return /^\d{1,18}$/.test(text)
}
