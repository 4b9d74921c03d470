import { type Catalogue, catalogueFor } from '../../catalogue/catalogue.ts'
import { changesDisabled, invalidRequest } from '../../errors.ts'
import type { EventSources } from '../../graphql/context.ts'
import type { GraphQLRequest, PreparedRequest } from '../../graphql/prepare-request.ts'
import { findJob, type Job } from '../../jobs/job.ts'
import { findFeed } from '../../live/feed.ts'
import type { Hub } from '../../live/hub.ts'
import { iterateChanges } from '../../live/iterate-changes.ts'
import { eventStreamHeaders, type Stream } from '../../live/stream.ts'
import type { HttpResponse } from '../../request/exchange.ts'
import { createPauses } from '../../request/pauses.ts'
import type { ApiParts } from './api-parts.ts'
import { createJobWatch, type JobWatch } from './job-watch.ts'

/** Makes the function that answers a subscription by GraphQL over SSE, in distinct connections mode. */
export function createSubscriptionApi({ live, contextOf, poolRule, ...options }: ApiParts) {
  const findWatched = createJobWatch(options.db)
  return async (
    subscribe: NonNullable<PreparedRequest['subscribe']>,
    cost: number,
    { caller, requestId, headers }: GraphQLRequest,
  ): Promise<HttpResponse> => {
    // The pool, which has no streams, runs what is larger.
    if (!live || cost > poolRule.limits.cost) throw invalidRequest(tooLarge)
    const stream = live.streams.open(caller, headers.authorization)
    const eventSources = sourcesOf(options, live.hub, stream, findWatched)
    try {
      const opened = await subscribe(() => contextOf('graphql', caller, requestId, { eventSources }))
      if ('answer' in opened) {
        stream.cut()
        return opened.answer
      }
      return {
        status: 200,
        headers: eventStreamHeaders,
        events: (out) => {
          stream.begin(out, { heartbeat: () => ':\n\n' }, ':\n\n')
          void send(stream, opened.results)
        },
      }
    } catch (error) {
      stream.cut()
      throw error
    }
  }
}

const tooLarge = 'a subscription must be a POST of at most 256 KiB with a cost of at most 5,000'

async function send(stream: Stream, results: AsyncIterable<string>): Promise<void> {
  try {
    const pause = createPauses()
    for await (const result of results) {
      stream.send(`event: next\ndata: ${result}\n\n`)
      await stream.drained()
      await pause()
    }
    stream.end('event: complete\ndata:\n\n')
  } catch {
    // The source of a closed stream is destroyed.
    stream.cut()
  }
}

function sourcesOf(
  { db, recordsChanges }: Pick<ApiParts, 'db' | 'recordsChanges'>,
  hub: Hub,
  stream: Stream,
  findWatched: JobWatch,
): EventSources {
  const catalogue = catalogueFor(db, stream.caller.viewer)
  return {
    changes: async (storeUuid, after, filter) => {
      if (!recordsChanges) throw changesDisabled()
      const feed = await findFeed(catalogue, { storeUuids: [storeUuid], filter, after, names: { filter: 'filter.' } })
      return iterateChanges(hub, stream, feed)
    },
    job: (jobId) => watchJob(catalogue, jobId, stream, findWatched),
  }
}

/** The job now and after each change, until its end; null without it. */
async function* watchJob(
  catalogue: Catalogue,
  jobId: string,
  stream: Stream,
  findWatched: JobWatch,
): AsyncGenerator<Job | null> {
  let last: string | undefined
  let job = (await findJob(catalogue, jobId)) ?? null
  while (!stream.isClosed) {
    const text = JSON.stringify(job)
    if (text !== last) yield job
    last = text
    if (!job || job.state === 'succeeded' || job.state === 'failed') return
    job = (await findWatched(catalogue.viewer, jobId)) ?? null
  }
}
