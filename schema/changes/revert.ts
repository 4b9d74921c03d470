import { maxFailures } from '../../src/catalogue/bounded-failures.ts'
import type { RevertedCounts } from '../../src/catalogue/changes/revert/restore-items.ts'
import {
  type RevertPolicy,
  type RevertResult,
  revertRequest,
} from '../../src/catalogue/changes/revert/revert-request.ts'
import type { SkippedItem } from '../../src/catalogue/changes/revert/skipped-item.ts'
import { partOfResult } from '../../src/graphql/access.ts'
import { resolveWrite, writeArgs } from '../builder/arguments.ts'
import { builder } from '../builder/builder.ts'
import { nullable, required } from '../builder/options.ts'
import { enumOf } from '../enumerations.ts'
import { ChangeKind } from './change.ts'

const RevertPolicyRef = enumOf<RevertPolicy>(
  'RevertPolicy',
  'What a revert does with values, links and rows that later requests have changed.',
  {
    SKIP: 'Leave them as they are, and list them in the result.',
    FAIL: 'Fail with `not_revertible`, with an entry for each of them, and change nothing.',
    OVERWRITE: 'Restore the values from before the request.',
  },
)

const RevertedCountsRef = builder.objectRef<RevertedCounts>('RevertedCounts').implement({
  extensions: partOfResult,
  description:
    'Number of items that a revert changed, by kind. An item that already had its earlier value is not counted.',
  fields: (t) => ({
    products: t.exposeInt('products', { description: 'Number of products changed, deleted or created again.' }),
    assets: t.exposeInt('assets', { description: 'Number of assets deleted or created again.' }),
    links: t.exposeInt('links', { description: 'Number of links removed, moved or created again.' }),
    definitions: t.exposeInt('definitions', { description: 'Number of attribute definitions changed.' }),
    requirements: t.exposeInt('requirements', { description: 'Number of channels whose requirements changed.' }),
    storeFields: t.exposeInt('storeFields', { description: 'Number of fields of the store changed.' }),
  }),
})

const SkippedItemRef = builder.objectRef<SkippedItem>('SkippedItem').implement({
  extensions: partOfResult,
  description: 'A value, link or row that was not reverted.',
  fields: (t) => ({
    kind: t.expose('kind', { type: ChangeKind, description: 'Kind of the item.' }),
    code: t.exposeString('code', {
      description:
        'Code of the product, id of the asset, parent code of the link, name of the definition, or channel of the requirements; empty for the store.',
    }),
    key: t.exposeString(
      'key',
      nullable(
        'Name of the attribute or `status`; channel and asset id of a link as a JSON list; field of the store. Null: the whole row.',
      ),
    ),
    reason: t.exposeString('reason', {
      description:
        'Stable code: `changed_since`, `gone` (the row that it belongs to does not exist), `too_large` (the attributes of the product would take more than 4 MiB) or `store_created` (stores are never deleted).',
    }),
  }),
})

const RevertResultRef = builder.objectRef<RevertResult>('RevertResult').implement({
  description: 'Result of `revertRequest`.',
  fields: (t) => ({
    storeUuid: t.exposeID('storeUuid', { description: 'UUID of the store.' }),
    requestId: t.exposeString('requestId', {
      description: 'Request id of the revert itself, by which it can be reverted.',
    }),
    reverted: t.expose('reverted', {
      type: RevertedCountsRef,
      description: 'Number of items that were changed, by kind.',
    }),
    skipped: t.expose('skipped', {
      type: [SkippedItemRef],
      description: 'Items that were not reverted: at most 10,000, and 4 MiB.',
    }),
    more: t.exposeInt('more', { description: 'Number of items that `skipped` leaves out.' }),
  }),
})

builder.mutationFields((t) => ({
  revertRequest: t.field({
    type: RevertResultRef,
    complexity: { field: maxFailures, multiplier: 1 },
    description:
      'Restores the values that a request changed, in one transaction, even if attribute definitions forbid them now. A revert can be reverted itself. At most 100,000 values, links and rows; `catalog revert` takes more. Errors: `store_not_found`, `request_not_found`, `not_revertible`, `changes_disabled`, `payload_too_large`, `quota_exceeded` (the reverts of a store record at most 1 GiB in 24 hours).',
    args: {
      ...writeArgs,
      requestId: t.arg.string(required('Id of the request to revert.')),
      ifChangedSince: t.arg({
        type: RevertPolicyRef,
        defaultValue: 'SKIP',
        description: 'What to do with values changed by later requests.',
      }),
    },
    resolve: resolveWrite(
      (catalogue, { storeUuid, requestId, ifChangedSince }) =>
        revertRequest(catalogue, storeUuid, requestId, ifChangedSince ?? 'SKIP'),
      ({ reverted }) => Object.values(reverted).reduce((sum, count) => sum + count, 0),
    ),
  }),
}))
