import type { EventsRequest } from '../../../rest/endpoint.ts'
import type { CheckedRequest } from '../../../rest/services.ts'
import { catalogueFor } from '../../catalogue/catalogue.ts'
import { changesDisabled } from '../../errors.ts'
import { findFeed } from '../../live/feed.ts'
import { requireKeptChanges } from '../../live/new-changes.ts'
import { eventStreamHeaders } from '../../live/stream.ts'
import { streamEvents } from '../../live/stream-events.ts'
import type { HttpResponse } from '../../request/exchange.ts'
import { HttpError } from '../../request/http-error.ts'
import type { ApiParts } from './api-parts.ts'

/** Makes the function that answers GET /v1/events: everything that may fail does so before the stream begins. */
export function createEventsApi({ db, live, recordsChanges }: ApiParts) {
  return async ({ caller, request }: CheckedRequest, wanted: EventsRequest): Promise<HttpResponse> => {
    if (!recordsChanges) throw changesDisabled()
    const last = request.headers['last-event-id']
    const start = last ? { after: last, names: { after: 'Last-Event-ID' } } : {}
    const feed = await findFeed(catalogueFor(db, caller.viewer), { ...wanted, ...start })
    const head = { status: 200, headers: eventStreamHeaders }
    if (!live) throw new HttpError('unavailable', 'events are sent by the main thread alone')
    if (request.method === 'HEAD') {
      await requireKeptChanges(db, feed.after)
      return head
    }
    const stream = live.streams.open(caller, request.headers.authorization)
    try {
      return { ...head, events: await streamEvents(live.hub, stream, feed) }
    } catch (error) {
      stream.cut()
      throw error
    }
  }
}
