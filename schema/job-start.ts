import { startExport, startImport } from '../src/jobs/start-job.ts'
import { builder } from './builder.ts'
import { ProductStatus } from './enumerations.ts'
import { JobRef } from './job.ts'
import { storable, storables } from './validation.ts'

const FileFormat = builder.enumType('FileFormat', {
  description: 'How a file has products in it.',
  values: {
    CSV: { value: 'csv', description: 'Comma-separated values with a header line.' },
    JSONL: { value: 'jsonl', description: 'JSON Lines: an object a line.' },
    JSON: { value: 'json', description: 'A JSON list of objects; for imports only.' },
  } as const,
})

const ImportPreset = builder.enumType('ImportPreset', {
  description: 'A shop whose exports are known.',
  values: {
    SHOPIFY: { value: 'shopify', description: "Shopify's product CSV: several rows a handle." },
    MAGENTO: { value: 'magento', description: "Magento's catalogue export." },
  } as const,
})

const ColumnMapping = builder.inputType('ColumnMapping', {
  description: 'A column to import as an attribute of another name.',
  fields: (t) => ({
    column: t.string({ required: true, description: 'The column.', validate: storable }),
    attribute: t.string({ required: true, description: "The attribute's name.", validate: storable }),
  }),
})

const ImportInput = builder.inputType('ImportInput', {
  description: 'A file to import, and what its columns are for: as the options of `catalog import`.',
  fields: (t) => ({
    content: t.string({
      required: true,
      description: 'The text of the file. A request has at most 10 MiB: larger files are for `catalog import`.',
      validate: storable,
    }),
    format: t.field({ type: FileFormat, defaultValue: 'csv', description: 'What the text is.' }),
    preset: t.field({ type: ImportPreset, description: 'The shop that it comes from.' }),
    channel: t.string({ defaultValue: 'SMP', description: 'The channel to link the assets on.', validate: storable }),
    code: t.string({ description: 'The column of the product code: `product_code`, else `sku`.', validate: storable }),
    status: t.string({ description: 'The column of the status: `status`.', validate: storable }),
    assets: t.stringList({
      description: 'Columns of image URLs: one, several, a JSON list, or none.',
      validate: storables,
    }),
    assetSeparator: t.string({
      defaultValue: ',',
      description: 'What separates the URLs of a cell.',
      validate: storable,
    }),
    assetBase: t.string({ description: 'What relative URLs are completed by.', validate: storable }),
    map: t.field({ type: [ColumnMapping], description: 'Columns to import as attributes of other names.' }),
    onlyMapped: t.boolean({ defaultValue: false, description: 'No attributes but those of `map`.' }),
    dryRun: t.boolean({ defaultValue: false, description: 'Only say what would happen.' }),
  }),
})

builder.mutationFields((t) => ({
  startImport: t.field({
    type: JobRef,
    description:
      'Starts an import in the background and answers at once; `job` tells how far it is. Importing the same again changes nothing. Errors: `invalid_request`, `store_not_found`.',
    args: {
      storeUuid: t.arg.id({ required: true, description: 'The store.', validate: storable }),
      input: t.arg({ type: ImportInput, required: true, description: 'What to import.' }),
    },
    resolve: async (_root, { storeUuid, input }, { db, enumerations, jobQueued }) => {
      const { content, map, ...rest } = input
      const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value != null))
      const defaults = { channel: 'SMP', assets: [], assetSeparator: ',', onlyMapped: false, dryRun: false }
      const pairs = (map ?? []).map(({ column, attribute }) => ({ column, attribute }))
      const options = { format: 'csv' as const, ...defaults, ...given, store: storeUuid, map: pairs }
      const job = await startImport(db, enumerations, options, content)
      jobQueued()
      return job
    },
  }),
  startExport: t.field({
    type: JobRef,
    description:
      "Starts an export of the store's products, with their assets on a channel, in the shape that imports read. The job's `output` is the text. Errors: `invalid_request`, `store_not_found`.",
    args: {
      storeUuid: t.arg.id({ required: true, description: 'The store.', validate: storable }),
      format: t.arg({ type: FileFormat, defaultValue: 'csv', description: '`CSV` or `JSONL`.' }),
      channel: t.arg.string({ defaultValue: 'SMP', description: 'The channel of the assets.', validate: storable }),
      status: t.arg({ type: ProductStatus, description: 'Only products of this status.' }),
    },
    resolve: async (_root, { storeUuid, format, channel, status }, { db, jobQueued }) => {
      const options = { format: format ?? 'csv', channel: channel ?? 'SMP', status: status ?? null }
      const job = await startExport(db, storeUuid, options)
      jobQueued()
      return job
    },
  }),
}))
