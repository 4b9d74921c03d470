import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { z } from 'zod'
import { type Endpoint, endpoint } from './endpoint.ts'
import * as operations from './operations.generated.ts'
import * as input from './request/shapes.ts'
import { kind, who } from './response/change-shapes.ts'
import { count, storeUuidShape } from './response/data-shapes.ts'

interface Variables {
  storeUuids?: string[] | string | null
  limit: number
}

interface Report<Row extends object> {
  summary: string
  description: string
  document: TypedDocumentNode<{ rows: Row[] }, Variables>
  extraReasons?: string[]
  /** Fields of a row without those of the store. */
  row: z.ZodRawShape
}

const time = (description: string) => z.iso.datetime().describe(description)
const store = { store_uuid: storeUuidShape, store_name: z.string().describe('Name of the store.') }
const job = {
  job_id: z.string().describe('UUID of the job.'),
  kind: z.enum(['import', 'export', 'index']).describe('Kind of the job.'),
}

/** The rows of GraphQL for tables and charts: what GraphQL names by an enumeration is in lower case here. */
export const reports: readonly Endpoint[] = [
  report('status', {
    summary: 'Report products by status',
    description: 'The number of products by store and status.',
    document: operations.StatusReportDocument,
    row: { status: z.enum(input.statuses).describe('Status.'), count: count('Number of products: 1 or more.') },
  }),
  report('coverage', {
    summary: 'Report asset groups by channel',
    description: 'The number of asset groups by store, channel and format: shows channels without images.',
    document: operations.CoverageReportDocument,
    row: {
      channel: z.string().describe('Channel of the groups.'),
      asset_format: z.string().describe('Format of the assets.'),
      groups: count('Number of parent codes that have such an asset; 0 where the store uses the channel.'),
      products: count('Number of products of the store, for comparison.'),
    },
  }),
  report('changes', {
    summary: 'Report the last changes',
    description: 'The last changes, newest first. To follow all changes use GET /changes.',
    document: operations.ChangeReportDocument,
    extraReasons: ['changes_disabled'],
    row: {
      at: time('Time of the change.'),
      ...who,
      kind,
      action: z.enum(['created', 'updated', 'deleted']).describe('What was done to the items.'),
      items: count('Number of values that changed.'),
      failed: count('Number of items of the request that failed, on one of its changes.'),
    },
  }),
  report('jobs', {
    summary: 'Report jobs',
    description: 'The last imports, exports and indexing jobs, newest first.',
    document: operations.JobReportDocument,
    row: {
      ...job,
      state: z.string().describe('State of the job, such as `running` or `succeeded`.'),
      rows: count('Number of rows processed.'),
      created: count('Number of products created.'),
      updated: count('Number of existing products changed.'),
      unchanged: count('Number of rows that changed nothing.'),
      failed: count('Number of rows that were refused.'),
      error: z.string().nullable().describe('Cause of the failure.'),
      created_at: time('Time of the request.'),
      started_at: time('Time of the start.').nullable(),
      finished_at: time('Time of the end.').nullable(),
    },
  }),
  report('failures', {
    summary: 'Report refused rows of imports',
    description: 'Rows that the last imports refused, of the newest job first; the first 20 faults of each job.',
    document: operations.FailureReportDocument,
    row: {
      at: time('Time of the request for the job.'),
      ...job,
      row: z.int().nullable().describe('Number of the row, from 1; null for the error that ended the job.'),
      line: z.int().nullable().describe('Line of the file on which the row starts; null for formats without lines.'),
      product_code: z.string().nullable().describe('Product code of the row.'),
      field: z.string().nullable().describe('Column with the fault; null: the whole row.'),
      reason: z.string().describe('Explanation: the expected value and the received one.'),
    },
  }),
]

function report<Row extends object>(name: string, { row, ...given }: Report<Row>): Endpoint {
  const shape = { ...store, ...row }
  return endpoint({
    ...given,
    method: 'GET',
    path: `/reports/${name}`,
    isExtension: true,
    dataShape: { rows: z.array(z.object(shape)).describe('Rows of the report.') },
    repeatable: ['store_uuids'],
    table: {
      columns: Object.keys(shape),
      rowsOf: (data) => (data as { rows: object[] }).rows.map((one) => new Map(Object.entries(one))),
    },
    shapes: () => ({
      query: z.object({
        store_uuids: input.text
          .refine((list) => list.split(',').length <= 100, 'must name at most 100 stores')
          .optional()
          .describe(
            'UUIDs of stores, at most 100: repeat the parameter or separate them by commas. Default: all accessible stores; an error if there are more than 100.',
          ),
        limit: input
          .wholeNumber(1, 10_000)
          .default(5_000)
          .describe('Maximum number of rows; values above 10,000 are clamped to 10,000.'),
        escape_formulas: input.escapeFormulas,
      }),
    }),
    variables: ({ store_uuids, limit }) => ({ storeUuids: store_uuids?.split(',') ?? null, limit }),
    toData: ({ rows }) => ({ rows: rows.map(lowered) }),
  })
}

const enumerated: ReadonlySet<string> = new Set(['status', 'via', 'kind', 'action', 'state'])

function lowered(row: object) {
  const entries = Object.entries(row).map(([name, value]) => [
    name,
    enumerated.has(name) ? String(value).replaceAll('_', ' ').toLowerCase() : value,
  ])
  return Object.fromEntries(entries)
}
