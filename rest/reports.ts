import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { z } from 'zod'
import { type Endpoint, endpoint } from './endpoint.ts'
import * as operations from './operations.generated.ts'
import * as input from './request/shapes.ts'
import * as results from './results.generated.ts'
import { restObject } from './translate.ts'

interface Variables {
  storeUuids?: string[] | string | null
  limit: number
}

interface Report {
  summary: string
  description: string
  document: TypedDocumentNode<{ rows: object[] }, Variables>
  extraReasons?: ['changes_disabled']
  dataShape: z.ZodObject<{ rows: z.ZodArray<z.ZodObject> }>
}

/** Rows about several stores, for tables and charts. */
export const reports: readonly Endpoint[] = [
  report('status', {
    summary: 'Report products by status',
    description: 'The number of products by store and status.',
    document: operations.StatusReportDocument,
    dataShape: results.StatusReport,
  }),
  report('coverage', {
    summary: 'Report asset groups by channel',
    description: 'The number of asset groups by store, channel and format: shows channels without images.',
    document: operations.CoverageReportDocument,
    dataShape: results.CoverageReport,
  }),
  report('changes', {
    summary: 'Report the last changes',
    description: 'The last changes, newest first. To follow all changes use GET /changes.',
    document: operations.ChangeReportDocument,
    extraReasons: ['changes_disabled'],
    dataShape: results.ChangeReport,
  }),
  report('jobs', {
    summary: 'Report jobs',
    description: 'The last imports and exports, newest first.',
    document: operations.JobReportDocument,
    dataShape: results.JobReport,
  }),
  report('failures', {
    summary: 'Report failed rows of imports',
    description: 'Rows that failed in the last imports, the newest job first; the first 20 faults of each job.',
    document: operations.FailureReportDocument,
    dataShape: results.FailureReport,
  }),
]

function report(name: string, { dataShape, ...given }: Report): Endpoint {
  const { rows } = dataShape.shape
  return endpoint({
    ...given,
    method: 'GET',
    path: `/reports/${name}`,
    isLong: true,
    dataShape: z.object({ rows: rows.describe('Rows of the report.') }),
    lists: ['store_uuids'],
    answers: {
      kind: 'table',
      columnsOf: () => Object.keys(rows.element.shape),
      rowsOf: (data) => (data as { rows: object[] }).rows.map((row) => new Map(Object.entries(row))),
    },
    shapes: () => ({
      query: z.object({
        store_uuids: input.commaList
          .refine(({ length }) => length <= 100, 'must name at most 100 stores')
          .optional()
          .describe(
            'UUIDs of stores, at most 100: repeat the parameter or separate them by commas. Default: all accessible stores; an error if there are more than 100.',
          ),
        limit: input
          .wholeNumber(1, 10_000)
          .default(5_000)
          .describe('Maximum number of rows; values above 10,000 are clamped to 10,000.'),
        ...input.csvForm,
      }),
    }),
    variables: ({ store_uuids, limit }) => ({ storeUuids: store_uuids ?? null, limit }),
    toData: ({ rows }) => ({ rows: rows.map((row) => restObject(row, 'keep')) }),
  })
}
