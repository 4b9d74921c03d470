import type { GraphQLResolveInfo } from 'graphql'
import { defaultChannel } from '../../src/catalogue/enumerations.ts'
import { returnsStored } from '../../src/graphql/access.ts'
import { type Context, requireFewAffected, requireNoLimit } from '../../src/graphql/context.ts'
import { deleteJob, type Job } from '../../src/jobs/job.ts'
import { startExport, startImport } from '../../src/jobs/start-job.ts'
import { withoutNulls } from '../../src/text.ts'
import { dryRunArgs, resolveWrite, storeArgs, writable } from '../builder/arguments.ts'
import { builder } from '../builder/builder.ts'
import { optionalChannel, required, textUpTo } from '../builder/options.ts'
import { enumOf, ProductStatus } from '../enumerations.ts'
import { FileFormat, JobRef } from './job.ts'

const ImportPreset = enumOf('ImportPreset', 'Shop system whose product exports the importer can read.', {
  shopify: 'Product CSV of Shopify, which has several rows per product.',
  magento: 'Product CSV of Magento.',
  woocommerce: 'Product CSV of WooCommerce.',
  'google-merchant': 'Product feed of Google Merchant Center.',
})

const DecimalMark = enumOf('DecimalMark', 'Decimal separator.', {
  point: '12.5.',
  comma: '12,5.',
})

const DuplicateRule = enumOf('DuplicateRule', 'Rule for a row whose product code appears in an earlier row.', {
  merge: 'Its values replace earlier ones.',
  fail: 'It fails.',
})

const ColumnMapping = builder.inputType('ColumnMapping', {
  description: 'Renames a column: its values become the attribute of the given name.',
  fields: (t) => ({
    column: t.string(required('Name of the column.')),
    attribute: t.string(required('Name of the attribute.')),
  }),
})

const ImportInput = builder.inputType('ImportInput', {
  description:
    'A file to import and the meaning of its columns: at most 5,000, with names of at most 300 characters. The fields are the options of `catalog import`.',
  fields: (t) => ({
    content: t.string({
      ...textUpTo(10 * 1024 * 1024),
      ...required('Text of the file. A request body is at most 10 MiB; use `POST /v1/imports` for larger files.'),
    }),
    format: t.field({ type: FileFormat, defaultValue: 'csv', description: 'Format of the text.' }),
    preset: t.field({
      type: ImportPreset,
      description: 'Shop system that exported the file. Default: none, that is plain columns.',
    }),
    channel: t.string(optionalChannel('Channel to link the assets on: one of `enumerations.channels`.')),
    code: t.string({ description: 'Column of the product code. Default: `product_code`, otherwise `sku`.' }),
    status: t.string({ description: 'Column of the product status. Default: `status`.' }),
    assets: t.stringList({
      description:
        'Columns that hold image URLs. A cell holds one URL, several with a separator, a JSON array, or nothing.',
    }),
    assetSeparator: t.string({ description: 'Separator between the URLs of a cell. Default: recognized.' }),
    assetBase: t.string({ description: 'Base URL for relative asset URLs.' }),
    map: t.field({ type: [ColumnMapping], description: 'Columns to import as attributes of other names.' }),
    onlyMapped: t.boolean({ defaultValue: false, description: 'Import only the columns of `map` as attributes.' }),
    at: t.string({ description: 'JSON: keys to the array in an object, such as `data.products`.' }),
    delimiter: t.string({ description: 'CSV: separator of cells, or `tab`. Default: recognized from the header.' }),
    unescapeFormulas: t.boolean({
      defaultValue: false,
      description:
        'CSV: remove the apostrophes that an export with `escapeFormulas` added, and read `="0012"` as `0012`.',
    }),
    decimal: t.field({
      type: DecimalMark,
      description: 'Decimal separator of NUMBER attributes. Default: a point.',
    }),
    mapStatus: t.string({ description: 'Values of the status column: `Aktiv=active,Entwurf=draft`.' }),
    duplicates: t.field({
      type: DuplicateRule,
      description: 'What happens to a later row of a product. Default: MERGE.',
    }),
    dryRun: t.boolean({ defaultValue: false, description: 'Count what would change, and change nothing.' }),
  }),
})

/** A resolver that queues a job and wakes the runner. */
function resolveStart<Args>(start: (args: Args, context: Context, info: GraphQLResolveInfo) => Promise<Job>) {
  return async (_root: unknown, args: Args, context: Context, info: GraphQLResolveInfo) => {
    const job = await start(args, context, info)
    context.onJobQueued()
    return job
  }
}

/** The options of an import as on the command line. A null is a default. */
function optionsOf({ storeUuid, input }: { storeUuid: string; input: typeof ImportInput.$inferInput }) {
  const { content: _, ...options } = input
  return { format: 'csv' as const, channel: defaultChannel, ...withoutNulls(options), store: storeUuid }
}

builder.mutationFields((t) => ({
  startImport: t.field({
    type: JobRef,
    description:
      'Queues an import and returns its job at once; poll `job` for its progress. Importing the same file again changes nothing. Errors: `invalid_request`, `store_not_found`, `quota_exceeded` (by default 20 queued jobs of the store, 1 GiB of input and output of its jobs).',
    args: {
      ...storeArgs,
      input: t.arg({ type: ImportInput, required: true, description: 'File to import and its options.' }),
    },
    resolve: resolveStart((args, context, info) => {
      const { affected, enumerations, jobQuotas } = context
      requireNoLimit(affected?.atMost, 'an import', args.input.dryRun ? '' : ', or use dryRun first')
      return startImport(writable(context, info), enumerations, optionsOf(args), args.input.content, jobQuotas)
    }),
  }),
  startExport: t.field({
    type: JobRef,
    description:
      'Queues an export of the products of a store with their assets on one channel, and returns its job at once. `Job.output` is the file, which an import can read; as CSV it has at most 2,000 columns. Errors: `invalid_request`, `store_not_found`, `quota_exceeded` (by default 20 queued jobs of the store, 1 GiB of input and output of its jobs).',
    args: {
      ...storeArgs,
      format: t.arg({ type: FileFormat, defaultValue: 'csv', description: '`CSV` or `JSONL`.' }),
      channel: t.arg.string(optionalChannel('Channel of the assets.')),
      status: t.arg({ type: ProductStatus, description: 'Only products of this status. Default: all products.' }),
      columns: t.arg.string({
        description:
          'CSV: names of the columns, in this order, as a line of CSV. Default: those of all products of the store. Required if these are more than 2,000.',
      }),
      delimiter: t.arg.string({ description: 'CSV: separator of cells: `,` `;` `|` or `tab`. Default: `,`.' }),
      decimal: t.arg({
        type: DecimalMark,
        description: 'CSV: decimal separator of NUMBER attributes. Default: a point.',
      }),
      bom: t.arg.boolean({ description: 'CSV: whether to begin with a byte-order mark. Default: false.' }),
      escapeFormulas: t.arg.boolean({
        defaultValue: false,
        description:
          'CSV: whether cells that a spreadsheet would run, which begin with `=`, `+`, `-`, `@`, a tab or a carriage return, get an apostrophe in front. An import with `unescapeFormulas` removes it.',
      }),
    },
    resolve: resolveStart(({ storeUuid, format, channel, status, ...form }, context) => {
      requireFewAffected(1, context)
      const options = {
        ...withoutNulls(form),
        format: format ?? 'csv',
        channel: channel ?? defaultChannel,
        status: status ?? null,
      }
      return startExport(context.catalogue, storeUuid, options, context.jobQuotas)
    }),
  }),
  deleteJob: t.field({
    type: JobRef,
    nullable: true,
    extensions: returnsStored,
    description:
      'Deletes a job with its input and output, and returns its last state; fields other than `jobId` need the scope `read`. A running job is cancelled: it stops within seconds, and keeps the rows that it has imported. Null when there is none or when the token has no access to its store.',
    args: { jobId: t.arg.id(required('UUID of the job.')), ...dryRunArgs },
    resolve: resolveWrite(
      (catalogue, { jobId }) => deleteJob(catalogue, jobId),
      (job) => (job ? 1 : 0),
    ),
  }),
}))
