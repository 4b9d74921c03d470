import { listChangeRows, listCoverageRows, listStatusRows } from '../../src/catalogue/dashboards/list-rows.ts'
import type { RowsRequest } from '../../src/catalogue/dashboards/rows-of-stores.ts'
import { requireLedger } from '../../src/graphql/context.ts'
import { listFailureRows, listJobRows } from '../../src/jobs/job-rows.ts'
import { type ResultOf, storeCount, storesArg } from '../builder/arguments.ts'
import { builder, type Fields } from '../builder/builder.ts'
import { nullable } from '../builder/options.ts'
import { actionFields, originFields } from '../changes/change.ts'
import { ProductStatus } from '../enumerations.ts'
import { problemFields } from '../jobs/import-report.ts'
import { JobKind, jobFields } from '../jobs/job.ts'

const maxRows = 10_000
const usualRows = 5_000

const rowsArgs = builder.args((t) => ({
  ...storesArg,
  limit: t.int({
    defaultValue: usualRows,
    description: `Maximum number of rows in total: 1 to ${maxRows}.`,
    validate: { min: 1, max: maxRows },
  }),
}))

interface Given {
  storeUuids?: readonly string[] | null | undefined
  limit?: number | null | undefined
}

const requestOf = ({ storeUuids, limit }: Given): RowsRequest => ({ storeUuids, limit: limit ?? usualRows })

/** The cost of rows of several stores: the rows that a store has at most, or typically, and a statement for each. */
const rowsCost = (perStore: number) => (given: Given) => {
  const stores = storeCount(given)
  return { field: 10 * stores, multiplier: Math.min(given.limit ?? usualRows, stores * perStore) }
}

type Row<List extends (...args: never[]) => Promise<unknown[]>> = ResultOf<List>[number]

const storeFields = (t: Fields<{ storeUuid: string; storeName: string }>) => ({
  storeUuid: t.exposeID('storeUuid', { description: 'UUID of the store.' }),
  storeName: t.exposeString('storeName', { description: 'Name of the store.' }),
})

const StatusRow = builder.objectRef<Row<typeof listStatusRows>>('StatusRow').implement({
  description: 'Number of products of a store with one status.',
  fields: (t) => ({
    ...storeFields(t),
    status: t.expose('status', { type: ProductStatus, description: 'Status.' }),
    count: t.exposeInt('count', { description: 'Number of products with this status: 1 or more.' }),
  }),
})

const CoverageRow = builder.objectRef<Row<typeof listCoverageRows>>('CoverageRow').implement({
  description: 'Number of asset groups of a store on one channel with one format.',
  fields: (t) => ({
    ...storeFields(t),
    channel: t.exposeString('channel', { description: 'Channel of the groups.' }),
    assetFormat: t.exposeString('assetFormat', { description: 'Format of the assets in the groups.' }),
    groups: t.exposeInt('groups', {
      description:
        'Number of parent codes that have an asset of the format on the channel; 0 for a channel of the store without assets. A parent code need not be the code of a product.',
    }),
    products: t.exposeInt('products', { description: 'Number of products of the store, for comparison.' }),
  }),
})

const ChangeRow = builder.objectRef<Row<typeof listChangeRows>>('ChangeRow').implement({
  description: 'A change without its codes and values: `Change` has these.',
  fields: (t) => ({
    ...storeFields(t),
    ...originFields(t),
    ...actionFields(t),
    items: t.exposeInt('items', { description: 'Number of values that changed.' }),
    failed: t.exposeInt('failed', {
      description: 'Number of failed items of the request. Only one change of the request has it; the others have 0.',
    }),
  }),
})

const JobRow = builder.objectRef<Row<typeof listJobRows>>('JobRow').implement({
  description: 'A job (an import or export) without its problems and output: `Job` has these.',
  fields: (t) => ({
    ...storeFields(t),
    ...jobFields(t),
    rows: t.int({ description: 'Number of rows processed.', resolve: ({ counts }) => counts.rows }),
    created: t.int({ description: 'Number of products created.', resolve: ({ counts }) => counts.created }),
    updated: t.int({ description: 'Number of existing products changed.', resolve: ({ counts }) => counts.updated }),
    unchanged: t.int({
      description: 'Number of rows that changed nothing.',
      resolve: ({ counts }) => counts.unchanged,
    }),
    failed: t.int({ description: 'Number of rows that failed.', resolve: ({ counts }) => counts.failed }),
  }),
})

const FailureRow = builder.objectRef<Row<typeof listFailureRows>>('FailureRow').implement({
  description: 'A row that failed in an import, or the error of a failed job.',
  fields: (t) => ({
    ...storeFields(t),
    at: t.expose('at', { type: 'DateTime', description: 'Time of the request for the job.' }),
    jobId: t.exposeID('jobId', { description: 'UUID of the job.' }),
    kind: t.expose('kind', { type: JobKind, description: 'Kind of the job.' }),
    row: t.exposeInt('row', nullable('Number of the row, from 1; null for the error of the job.')),
    ...problemFields(t),
  }),
})

builder.queryFields((t) => ({
  statusRows: t.field({
    type: [StatusRow],
    complexity: rowsCost(6),
    description:
      'Number of products by store and status, as flat rows for tables and charts. For one store use `Store.productCounts`.',
    args: rowsArgs,
    resolve: (_root, args, { catalogue }) => listStatusRows(catalogue, requestOf(args)),
  }),
  coverageRows: t.field({
    type: [CoverageRow],
    complexity: rowsCost(20),
    description: 'Number of asset groups by store, channel and format, as flat rows.',
    args: rowsArgs,
    resolve: (_root, args, { catalogue }) => listCoverageRows(catalogue, requestOf(args)),
  }),
  changeRows: t.field({
    type: [ChangeRow],
    complexity: rowsCost(maxRows),
    description:
      'The last changes of several stores, as flat rows, the newest first. To follow all changes of a store use `Store.changes`. Errors: `changes_disabled`.',
    args: rowsArgs,
    resolve: (_root, args, context) => {
      requireLedger(context)
      return listChangeRows(context.catalogue, requestOf(args))
    },
  }),
  jobRows: t.field({
    type: [JobRow],
    complexity: rowsCost(maxRows),
    description: 'The last jobs of several stores, as flat rows, the newest first. For one store use `Store.jobs`.',
    args: rowsArgs,
    resolve: (_root, args, { catalogue }) => listJobRows(catalogue, requestOf(args)),
  }),
  failureRows: t.field({
    type: [FailureRow],
    complexity: rowsCost(maxRows),
    description:
      'Rows that failed in the last imports of several stores, as flat rows, the newest job first: at most 20 of each job. For all rows of a job use `Job.output`.',
    args: rowsArgs,
    resolve: (_root, args, { catalogue }) => listFailureRows(catalogue, requestOf(args)),
  }),
}))
