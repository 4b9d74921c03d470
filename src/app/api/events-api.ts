import type { EventsRequest } from '../../../rest/endpoint.ts'
import type { EventsCall } from '../../../rest/services.ts'
import type { Caller } from '../../auth/caller.ts'
import { catalogueFor } from '../../catalogue/catalogue.ts'
import { latest, readCursor } from '../../catalogue/changes/cursor.ts'
import { storesToRead } from '../../catalogue/stores/stores-to-read.ts'
import { changesDisabled } from '../../graphql/context.ts'
import { type EventFilter, requireEventFilter } from '../../live/event-filter.ts'
import { latestPosition } from '../../live/new-changes.ts'
import { eventStreamHeaders, openEvents } from '../../live/open-events.ts'
import type { HttpResponse } from '../../request/exchange.ts'
import { HttpError } from '../../request/http-error.ts'
import type { ApiOptions } from '../gateway-options.ts'

/** Makes the function that answers GET /v1/events: everything that may fail does so before the stream begins. */
export function createEventsApi({ db, live, changesRetention }: Pick<ApiOptions, 'db' | 'live' | 'changesRetention'>) {
  return async (request: EventsRequest, { caller, headers, isHead }: EventsCall<Caller>): Promise<HttpResponse> => {
    const { storeUuids, after } = request
    const filter: EventFilter = request.filter
    requireEventFilter(filter)
    const last = headers['last-event-id']
    const given = last ? readCursor(last, 'Last-Event-ID') : after && after !== latest ? readCursor(after) : undefined
    if (changesRetention === 0) throw changesDisabled()
    const catalogue = catalogueFor(db, caller.viewer)
    const watched = async () =>
      (await storesToRead(catalogue, storeUuids, 'storeUuid')).map(({ storeUuid }) => storeUuid)
    const stores = await watched()
    const findStores = storeUuids ? undefined : watched
    const head = { status: 200, headers: eventStreamHeaders }
    if (isHead) return head
    if (!live) throw new HttpError('unavailable', 'events are sent by the main thread alone')
    const stream = live.streams.open(caller, headers.authorization)
    try {
      const begin = given ?? (await latestPosition(db, stores))
      const events = await openEvents(live.hub, stream, { stores, filter, after: begin, findStores })
      return { ...head, events }
    } catch (error) {
      stream.close()
      throw error
    }
  }
}
