import { z } from 'zod'
import { HttpError } from '../../src/request/http-error.ts'
import type { ChangeFragment, GetRequestQuery, RevertRequestMutation } from '../operations.generated.ts'
import { count, more, storeUuidShape } from './data-shapes.ts'

const counts = z
  .object({
    created: count('Number that were created.'),
    updated: count('Number that were updated.'),
    deleted: count('Number that were deleted.'),
    failed: count('Number of items of the request that failed, on one of its changes; 0 on the others.'),
  })
  .meta({ id: 'ChangeCounts', description: 'Number of items changed.' })

export const who = {
  request_id: z.string().describe('Id of the request.'),
  actor: z.string().describe('Name that the token had, or the user of the command line.'),
  via: z.enum(['rest', 'graphql', 'cli', 'job']).describe('Where the request came from.'),
  operation: z.string().describe('Name of the GraphQL mutation, also over REST; `import` for imports.'),
}
export const kind = z
  .enum(['product', 'asset', 'link', 'definition', 'requirement', 'store'])
  .describe('Kind of the changed items.')

const change = z
  .object({
    cursor: z.string().describe('Opaque cursor after this change.'),
    at: z.iso.datetime().describe('Time of the change.'),
    ...who,
    kind,
    action: z.enum(['created', 'updated', 'deleted']).describe('What was done to the items.'),
    counts,
    codes: z
      .array(z.string())
      .describe(
        'Names of the items: codes of products, ids of assets, parent codes of links, names of definitions, channels of requirements; for the store an empty string.',
      ),
    reverts: z.string().optional().describe('Id of the request that this change reverts.'),
  })
  .meta({ id: 'Change', description: 'What a request did to rows of one kind in one store.' })

export const changes = (description: string) => z.array(change).describe(description)

export const receiptShape = {
  ...who,
  at: z.iso.datetime().describe('Time of the first change.'),
  failed: count('Number of items of the request that failed.'),
  counts: z
    .array(
      counts
        .omit({ failed: true })
        .extend({ kind })
        .meta({ id: 'RequestCounts', description: 'Number of items of one kind.' }),
    )
    .describe('Number of items changed, by kind.'),
  changes: changes('The first 100 changes of the request, the oldest first.'),
  more: z.boolean().describe('Whether the receipt is truncated.'),
  reverted_by: z.string().optional().describe('Id of the last request that reverted it.'),
}

type Lower<Name extends string> = Lowercase<Name>
const lower = <Name extends string>(name: Name) => name.toLowerCase() as Lower<Name>

export function changeObject({ via, kind, action, reverts, ...rest }: ChangeFragment) {
  return {
    ...rest,
    via: lower(via),
    kind: lower(kind),
    action: lower(action),
    ...(reverts !== null && { reverts }),
  }
}

export function receiptObject(request: GetRequestQuery['request']) {
  if (!request)
    throw new HttpError('request_not_found', 'nothing was changed under this id, or it is no longer recorded')
  const { via, counts, changes, revertedBy, ...rest } = request
  return {
    ...rest,
    via: lower(via),
    counts: counts.map((row) => ({ ...row, kind: lower(row.kind) })),
    changes: changes.edges.map(({ node }) => changeObject(node)),
    more: changes.pageInfo.more,
    ...(revertedBy && { reverted_by: revertedBy.request_id }),
  }
}

export const revertShape = {
  store_uuid: storeUuidShape,
  request_id: z.string().describe('Id of the revert itself, to revert it.'),
  reverted: z
    .object({
      products: count('Number of products changed, deleted or created again.'),
      assets: count('Number of assets deleted or created again.'),
      links: count('Number of links removed, moved or created again.'),
      definitions: count('Number of attribute definitions changed.'),
      requirements: count('Number of channels whose requirements changed.'),
      store_fields: count('Number of fields of the store changed.'),
    })
    .describe('Numbers of what the revert changed.'),
  skipped: z
    .array(
      z
        .object({
          kind,
          code: z
            .string()
            .describe(
              'Product code, asset id, parent code of the link, name of the definition, or channel of the requirements; empty for the store.',
            ),
          key: z
            .string()
            .optional()
            .describe('Attribute or `status`; channel and asset id of a link as a JSON list; field of the store.'),
          reason: z.enum(['changed_since', 'gone', 'too_large', 'store_created']).describe('Why it was skipped.'),
        })
        .meta({ id: 'SkippedItem', description: 'A value, link or row that was not reverted.' }),
    )
    .describe('What was not reverted.'),
  more,
}

export function revertObject({ skipped, more, ...rest }: RevertRequestMutation['revertRequest']) {
  const items = skipped.map(({ kind, key, ...item }) => ({ ...item, kind: lower(kind), ...(key !== null && { key }) }))
  return { ...rest, skipped: items, ...(more > 0 && { more }) }
}
