import type { Change } from '../../src/catalogue/changes/change.ts'
import { eventSourcesOf } from '../../src/graphql/context.ts'
import type { Job } from '../../src/jobs/job.ts'
import { storeArgs } from '../builder/arguments.ts'
import { builder } from '../builder/builder.ts'
import { requiredLookup } from '../builder/options.ts'
import { JobRef } from '../jobs/job.ts'
import { ChangeRef } from './change.ts'
import { EventFilterInput } from './event-filter.ts'

builder.subscriptionType({
  description:
    'Streams of events, by GraphQL over SSE in distinct connections mode: POST with `Accept: text/event-stream`. They need the scope `read`. A token has at most 10 streams at a time, those of `GET /v1/events` included.',
})

builder.subscriptionField('changes', (t) =>
  t.field({
    type: ChangeRef,
    description:
      'Changes of a store as they appear in its feed, in its order. Errors: `store_not_found`, `cursor_expired`, `changes_disabled`, `rate_limited`.',
    args: {
      ...storeArgs,
      after: t.arg.string({ description: 'Cursor of the last known change. Default: `latest`, from now on.' }),
      filter: t.arg({ type: EventFilterInput, description: 'Filter. Default: all changes.' }),
    },
    subscribe: (_root, { storeUuid, after, filter }, context) =>
      eventSourcesOf(context).changes(storeUuid, after, filter ?? {}),
    resolve: (change) => change as Change,
  }),
)

builder.subscriptionField('job', (t) =>
  t.field({
    type: JobRef,
    nullable: true,
    description:
      'A job, now and after each change of it; completes at its end. Null, and the end, when there is no such job or the token has no access to its store. Errors: `rate_limited`.',
    args: { id: t.arg.id(requiredLookup('UUID of the job.')) },
    subscribe: (_root, { id }, context) => eventSourcesOf(context).job(id),
    resolve: (job) => job as Job | null,
  }),
)
