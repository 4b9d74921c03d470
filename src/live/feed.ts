import type { Catalogue } from '../catalogue/catalogue.ts'
import { type LedgerPosition, startOf } from '../catalogue/changes/cursor.ts'
import { storesToRead } from '../catalogue/stores/list-stores.ts'
import { type EventFilter, requireEventFilter } from './event-filter.ts'
import { latestPosition } from './new-changes.ts'

/** What a client asks for. */
interface FeedRequest {
  /** Undefined: all stores of the viewer. */
  storeUuids: readonly string[] | undefined
  filter: EventFilter
  /** A cursor; without it, or with `latest`, from now on. */
  after: string | null | undefined
  /** The names of the cursor and of the filter in messages. */
  names?: { after?: string; filter?: string }
}

/** The changes that a stream has. */
export interface Feed {
  /** Undefined: all, also those that are created later. */
  stores: readonly string[] | undefined
  filter: EventFilter
  after: LedgerPosition
}

/** Throws `invalid_request` or `store_not_found`. */
export async function findFeed(
  catalogue: Catalogue,
  { storeUuids, filter, after, names = {} }: FeedRequest,
): Promise<Feed> {
  requireEventFilter(filter, names.filter)
  const start = startOf(after, names.after)
  const found = (await storesToRead(catalogue, storeUuids, 'storeUuid')).map(({ storeUuid }) => storeUuid)
  const stores = storeUuids || catalogue.viewer.stores ? found : undefined
  return { stores, filter, after: start ?? (await latestPosition(catalogue.db, stores)) }
}
