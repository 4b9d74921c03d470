import { linkOf } from '../../src/catalogue/changes/change.ts'
import { type ChangeItem, listItems } from '../../src/catalogue/changes/change-items.ts'
import { builder } from '../builder/builder.ts'
import {
  connectionCost,
  connectionOf,
  cursorOfKey,
  forwardArgs,
  keyOfCursor,
  maxPageSize,
  statementCost,
} from '../builder/lists.ts'
import { nullable } from '../builder/options.ts'
import { ChangeRef } from './change.ts'

function channelOf({ kind, code, key }: ChangeItem): string | null {
  if (kind === 'requirement') return code
  if (kind === 'readiness') return key
  return kind === 'link' ? (linkOf(key)[0] ?? null) : null
}

const ChangeItemRef = builder.objectRef<ChangeItem>('ChangeItem').implement({
  description:
    'One value that changed: the status or an attribute of a product, a field of the store, a definition, the requirements of a channel, or the position of a link. A row that was created or deleted has one item.',
  fields: (t) => ({
    productCode: t.string({
      ...nullable('Code of the product, or the parent code of the link.'),
      resolve: ({ kind, code }) => (['product', 'link', 'readiness'].includes(kind) ? code || null : null),
    }),
    assetId: t.id({
      ...nullable('Id of the asset.'),
      resolve: ({ kind, code, key }) => (kind === 'asset' ? code : kind === 'link' ? (linkOf(key)[1] ?? null) : null),
    }),
    channel: t.string({
      ...nullable('Channel of the link, of the requirements, or of readiness.'),
      resolve: channelOf,
    }),
    attribute: t.string({
      ...nullable('Name of the attribute, of the definition or of the field of the store; or `status`.'),
      resolve: ({ kind, code, key }) =>
        kind === 'definition' ? code : kind === 'product' || kind === 'store' ? key : null,
    }),
    before: t.exposeString(
      'before',
      nullable(
        'Value before the change, null if there was none. JSON for deleted rows, definitions, requirements and fields of the store.',
      ),
    ),
    after: t.string({
      ...nullable(
        'Value after the change, null if there is none. Null also for created products and assets: `Store.product` has the values at that time.',
      ),
      resolve: (item) => item.after(),
    }),
  }),
})

const ChangeItemConnection = builder.connectionObject(
  {
    type: ChangeItemRef,
    name: 'ChangeItemConnection',
    description: 'A page of the items of a change, forward only and without a total.',
  },
  { name: 'ChangeItemEdge', description: 'An item and its cursor.' },
)

const isItemNumber = (text: string) => /^[1-9]\d{0,8}$/.test(text)

builder.objectField(ChangeRef, 'items', (t) =>
  t.field({
    type: ChangeItemConnection,
    complexity: ({ first }) => ({ ...connectionCost({ first: first ?? maxPageSize }), field: statementCost }),
    description: 'Values that changed, in a stable order.',
    args: forwardArgs('items', maxPageSize),
    resolve: async (change, { first, after }, { catalogue }) => {
      const limit = Math.min(first ?? maxPageSize, maxPageSize)
      const name = `items ${change.tx} ${change.seq}`
      const last = Number(keyOfCursor('after', name, after, isItemNumber) ?? 0)
      const items = await listItems(catalogue, change, last + 1, limit + 1)
      const edges = items.slice(0, limit).map((node) => ({ cursor: cursorOfKey(name, String(node.number)), node }))
      return connectionOf(edges, items.length > limit, after != null)
    },
  }),
)
