import {
  changesMetric,
  failedItemsMetric,
  groupsMetric,
  productsMetric,
  readyProductsMetric,
  writesMetric,
} from '../../src/catalogue/dashboards/metrics.ts'
import { type Dimension, listSeries, type Metric, type SeriesPoint } from '../../src/catalogue/dashboards/series.ts'
import { requireLedger } from '../../src/graphql/context.ts'
import { importedRowsMetric } from '../../src/jobs/job-rows.ts'
import { withCore } from '../../src/request/context.ts'
import { storeCount, storesArg } from '../builder/arguments.ts'
import { builder } from '../builder/builder.ts'
import { nullable } from '../builder/options.ts'
import { enumOf } from '../enumerations.ts'

const metrics = {
  CHANGES: changesMetric,
  WRITES: writesMetric,
  FAILED_ITEMS: failedItemsMetric,
  IMPORTED_ROWS: importedRowsMetric,
  PRODUCTS: productsMetric,
  READY_PRODUCTS: readyProductsMetric,
  GROUPS: groupsMetric,
} satisfies Record<string, Metric>

const MetricRef = enumOf<keyof typeof metrics>('Metric', 'A number over time.', {
  CHANGES: 'Number of values that changed, as long as changes are kept. Dimensions: store, operation, actor.',
  WRITES:
    'Number of requests that changed something, counted in each store, as long as changes are kept. Dimensions: store, operation, actor.',
  FAILED_ITEMS:
    'Number of failed items of requests that changed other items, as long as changes are kept. Dimensions: store, operation, actor.',
  IMPORTED_ROWS:
    'Number of imported rows by the time at which the import ended, as long as jobs are kept. Dimension: store.',
  PRODUCTS:
    'Number of products at the end of the interval, or now. It is stored once an hour: hourly numbers are kept for 14 days, daily numbers without a limit. Dimensions: store, status.',
  READY_PRODUCTS:
    'Number of products that are ready for a channel, stored like `PRODUCTS`. Dimensions: store, channel.',
  GROUPS: 'Number of asset groups, stored like `PRODUCTS`. Dimensions: store, channel, format.',
})

const DimensionRef = enumOf<Dimension>('Dimension', 'Dimension by which a series is grouped.', {
  store: 'Stores.',
  channel: 'Channels.',
  format: 'Asset formats.',
  status: 'Statuses, as in `ProductStatus`.',
  operation: 'Mutations, such as `updateProducts`, and `import`.',
  actor: 'Names of tokens, and users of the command line.',
})

const SeriesPointRef = builder.objectRef<SeriesPoint>('SeriesPoint').implement({
  description: 'A value of a series in one interval.',
  fields: (t) => ({
    time: t.float({
      description: 'Start of the interval in milliseconds since 1970, UTC.',
      resolve: ({ time }) => time.getTime(),
    }),
    timeIso: t.expose('time', { type: 'DateTime', description: 'Start of the interval as RFC 3339.' }),
    value: t.exposeFloat('value', nullable('Value; null before the first known one.')),
    label: t.exposeString('label', {
      description:
        'Values of the dimensions, the store first, the others in the order of `by`, separated by `/`; without dimensions the name of the metric.',
    }),
    storeUuid: t.exposeID('storeUuid', nullable('UUID of the store, with the dimension `STORE`; otherwise null.')),
  }),
})

const maxRequestPoints = 2_000
const usualPoints = 500

builder.queryField('series', (t) =>
  t.field({
    type: [SeriesPointRef],
    complexity: (args) => ({ field: 10 * storeCount(args), multiplier: args.maxPoints ?? usualPoints }),
    description:
      'A metric over time, summed over the stores unless `by` has `STORE`: each interval up to now has a point, ordered by label and time. Errors: `invalid_request` (dimensions that the metric does not have; more points than `maxPoints`, or than 20,000 in all), `store_not_found`, `changes_disabled`.',
    args: {
      metric: t.arg({ type: MetricRef, required: true, description: 'Metric.' }),
      ...storesArg,
      by: t.arg({ type: [DimensionRef], description: 'Dimensions. Default: one series.' }),
      from: t.arg({ type: 'Instant', required: true, description: 'Start: a time in the first interval.' }),
      to: t.arg({ type: 'Instant', required: true, description: 'End: a time in the last interval.' }),
      interval: t.arg({
        type: 'Duration',
        description:
          'Length of an interval: whole minutes, or whole hours for stored numbers such as `PRODUCTS`. Intervals are aligned to midnight (UTC) or Monday. Default: a length that gives at most `maxPoints` intervals.',
      }),
      maxPoints: t.arg.int({
        defaultValue: usualPoints,
        description: `Maximum number of intervals: 1 to ${maxRequestPoints}.`,
        validate: { min: 1, max: maxRequestPoints },
      }),
    },
    resolve: (_root, { metric: name, by, interval, maxPoints, ...given }, context) => {
      const metric = metrics[name]
      if (metric !== importedRowsMetric) requireLedger(context)
      const request = { ...given, by: by ?? [], intervalMs: interval, maxPoints: maxPoints ?? usualPoints }
      return withCore(() => listSeries(context.catalogue, metric, request))
    },
  }),
)
