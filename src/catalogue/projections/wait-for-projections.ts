import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { onlyRow } from '../../database/only-row.ts'
import { type Catalogue, visibleStore } from '../catalogue.ts'

/** How long a request waits in all. */
const maxWaitMs = 2_000
const pauseMs = 20

/**
 * For `X-Catalogue-After: latest`: waits, once for each store, until what was committed before is applied to the
 * projections of the store. If that takes more than `maxWaitMs`, `asOf` says how old the answer is.
 */
export function createProjectionWait(catalogue: Catalogue): (storeUuid: string) => Promise<void> {
  const end = performance.now() + maxWaitMs
  const waits = new Map<string, Promise<void>>()
  return (storeUuid) => {
    const wait = waits.get(storeUuid) ?? waitFor(catalogue, visibleStore(catalogue, storeUuid), end)
    waits.set(storeUuid, wait)
    return wait
  }
}

/** Products that are put back into the queue keep their time; those that wait after a failure are not waited for. */
async function waitFor({ db }: Catalogue, uuid: string | null, end: number): Promise<void> {
  const last = (until: string) =>
    sql<{ last: string | null }>`
      select max(at)::text as last from product_dirty
      where store_uuid = ${uuid} and at <= ${until}::timestamptz and at < 'infinity'
        and (not_before is null or not_before <= now())`.execute(db)
  const { last: until } = onlyRow((await last('infinity')).rows)
  if (until === null) return
  while (performance.now() < end) {
    await sleep(pauseMs)
    if (onlyRow((await last(until)).rows).last === null) return
  }
}
