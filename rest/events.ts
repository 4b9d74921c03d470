import { z } from 'zod'
import { type Endpoint, endpoint } from './endpoint.ts'
import * as operations from './operations.generated.ts'
import * as input from './request/shapes.ts'
import * as results from './results.generated.ts'
import { camelCase } from './translate.ts'

const names = input.text.transform((list) => list.split(',')).optional()

/** GET /v1/events: what its document does for one store, it does for several. */
export const events: Endpoint = endpoint({
  method: 'GET',
  path: '/events',
  summary: 'Follow changes',
  description:
    'A stream of server-sent events: each is a change of the feed as it appears, with its cursor as the `id`. It begins now, or after the cursor of `after` or of the header `Last-Event-ID`, which takes precedence. First, and every 15 seconds, an event `position` has the current cursor as its `id`. At a shutdown the last event is `goodbye`. A token has at most 10 streams, the tokens of the same stores 500, and a gateway process 1,000.',
  answers: {
    kind: 'events',
    requestOf: ({ store_uuid: stores, after, ...filter }) => ({
      storeUuids: stores as string[] | undefined,
      after: after === undefined ? undefined : String(after),
      filter: camelCase(filter),
    }),
  },
  lists: ['store_uuid'],
  extraReasons: ['cursor_expired', 'changes_disabled'],
  dataShape: results.Change,
  document: operations.FollowChangesDocument,
  shapes: () => ({
    query: z.object({
      store_uuid: input.commaList
        .optional()
        .describe(
          'UUIDs of at most 100 stores, separated by commas or repeated. Default: all stores of the token, if they are at most 100.',
        ),
      types: names.describe('Only events of these types, such as `product.updated`, separated by commas.'),
      operations: names.describe('Only changes by these mutations, such as `updateProducts`.'),
      attributes: names.describe(
        'Only changes of these attributes of products (`status` is one), products that are created or deleted, and definitions of these attributes.',
      ),
      channels: names.describe('Only changes of links, requirements and readiness on these channels.'),
      code_prefix: input.text.optional().describe('Only items whose code begins with this prefix.'),
      after: input.text.optional().describe('Cursor of the last known change. Default: `latest`, from now on.'),
    }),
  }),
  variables: ({ store_uuid: [storeUuid = ''] = [], after = null, ...filter }) => ({
    ...{ storeUuid, after },
    filter: camelCase(filter),
  }),
})
