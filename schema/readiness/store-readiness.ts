import type { Product } from '../../src/catalogue/products/find-products.ts'
import type { Requirement } from '../../src/catalogue/readiness/requirements.ts'
import {
  countGaps,
  gapMask,
  listGaps,
  listReadinessHistory,
  type ReadinessPoint,
  type StoreReadiness,
} from '../../src/catalogue/readiness/store-readiness.ts'
import { builder } from '../builder/builder.ts'
import { connectionCost, countedPage, keysetConnection, statementCost } from '../builder/lists.ts'
import { nullable, nullableTime, required } from '../builder/options.ts'
import { ProductRef } from '../products/product.ts'
import { StoreRef } from '../stores/store.ts'
import { Severity } from './requirement.ts'

const RequirementCountRef = builder
  .objectRef<Pick<Requirement, 'code' | 'severity'> & { missing: number | null }>('RequirementCount')
  .implement({
    description: 'Number of products that do not meet a requirement.',
    fields: (t) => ({
      code: t.exposeString('code', { description: 'Name of the requirement.' }),
      severity: t.expose('severity', { type: Severity, description: 'Severity of the requirement.' }),
      missing: t.exposeInt('missing', nullable('Number of products that do not meet it; null before the first count.')),
    }),
  })

const ReadinessPointRef = builder.objectRef<ReadinessPoint>('ReadinessPoint').implement({
  description: 'Number of products that were ready at the end of an interval.',
  fields: (t) => ({
    time: t.expose('time', { type: 'DateTime', description: 'Start of the interval.' }),
    total: t.exposeInt('total', { description: 'Number of products.' }),
    ready: t.exposeInt('ready', { description: 'Number of products that were ready.' }),
    percent: t.float({
      ...nullable('Percentage of products that were ready, 0 to 100; null without products.'),
      resolve: (point) => percentOf(point),
    }),
  }),
})

function percentOf({ total, ready }: { total: number; ready: number }): number | null {
  return total === 0 ? null : (100 * ready) / total
}

const StoreReadinessRef = builder.objectRef<StoreReadiness>('StoreReadiness').implement({
  description: 'Readiness of the products of a store for a channel.',
  fields: (t) => ({
    channel: t.exposeString('channel', { description: 'Channel.' }),
    total: t.int({
      ...nullable('Number of products; null before the first count.'),
      resolve: ({ counted }) => counted?.total,
    }),
    ready: t.int({
      ...nullable('Number of products that meet all required requirements; null before the first count.'),
      resolve: ({ counted }) => counted?.ready,
    }),
    percent: t.float({
      ...nullable('Percentage of products that are ready, 0 to 100; null without products and before the first count.'),
      resolve: ({ counted }) => counted && percentOf(counted),
    }),
    asOf: t.field({
      ...nullableTime(
        'The numbers include all changes until this time, usually less than a second ago, and possibly later ones. Null before the first count.',
      ),
      resolve: ({ counted }) => counted?.asOf,
    }),
    isCounting: t.exposeBoolean('isCounting', {
      description:
        'Whether all products are being counted for new requirements. Meanwhile the numbers belong to the previous requirements.',
    }),
    requirements: t.field({
      type: [RequirementCountRef],
      complexity: { field: 1, multiplier: 10 },
      description: 'Requirements that the numbers are for, in their order.',
      resolve: ({ requirements, counted }) =>
        requirements.map(({ code, severity }, i) => ({ code, severity, missing: counted?.missing[i] ?? null })),
    }),
    history: t.field({
      type: [ReadinessPointRef],
      complexity: { field: statementCost, multiplier: 100 },
      description:
        'The numbers at the end of each interval, or now, the oldest first. They are stored once an hour from the first count on. Hourly numbers are kept for 14 days, daily numbers without a limit. At most 1,000 points. Errors: `invalid_request`.',
      args: {
        from: t.arg({ type: 'DateTime', required: true, description: 'Start.' }),
        to: t.arg({ type: 'DateTime', description: 'End. Default: now.' }),
        interval: t.arg({
          type: 'Duration',
          description: 'Length of each interval: whole hours or days. Default: `1d`.',
        }),
      },
      resolve: (readiness, { from, to, interval }, { catalogue }) =>
        listReadinessHistory(catalogue, readiness, { from, to: to ?? new Date(), intervalMs: interval ?? 86_400_000 }),
    }),
    gaps: t.connection(
      {
        type: ProductRef,
        complexity: (args) => ({ ...connectionCost(args), field: statementCost }),
        description:
          'Products that do not meet a required requirement, or the one that `requirement` names, ordered by code. Errors: `invalid_request` (no counted requirement has the name).',
        args: {
          requirement: t.arg.string({
            description: 'Name of a requirement. Default: all that are required.',
          }),
        },
        resolve: (readiness, { requirement, ...args }, { catalogue }) => {
          const mask = gapMask(readiness, requirement)
          return keysetConnection<Product>(args, {
            name: 'gaps',
            keyOf: ({ productCode }) => productCode,
            read: (page) => listGaps(catalogue, readiness, mask, page),
            count: async () => countGaps(readiness, requirement),
          })
        },
      },
      {
        name: 'ProductGapConnection',
        ...countedPage('products', 'A page of products that do not meet a requirement.'),
      },
      { name: 'ProductGapEdge', description: 'A product that does not meet a requirement, and its cursor.' },
    ),
  }),
})

builder.objectField(StoreRef, 'readiness', (t) =>
  t.field({
    type: StoreReadinessRef,
    nullable: true,
    complexity: statementCost,
    description:
      'Readiness of the products for a channel. It is counted in the background after each change; null if the channel has no requirements.',
    args: { channel: t.arg.string(required('Channel.')) },
    resolve: ({ storeUuid }, { channel }, { loaders }) => loaders.storeReadiness(channel).load(storeUuid),
  }),
)
