import { z } from 'zod'
import { type Endpoint, endpoint, found } from './endpoint.ts'
import * as operations from './operations.generated.ts'
import * as input from './request/shapes.ts'
import * as results from './results.generated.ts'
import { camelCase, restObject } from './translate.ts'

const formats = ['csv', 'jsonl', 'json', 'xml', 'xlsx']
const encodings = ['UTF-8', 'UTF-16LE', 'UTF-16BE', 'Windows-1252']
const presets = ['shopify', 'magento', 'woocommerce', 'google-merchant']
const decimals = ['point', 'comma']
const duplicates = ['merge', 'fail']

const text = (description: string) => input.text.optional().describe(description)
const flag = (description: string) => input.flag.optional().describe(description)
const choice = (values: readonly string[], description: string) => input.oneOf(values).optional().describe(description)
const list = (description: string) => z.array(input.text).optional().describe(description)

/** The options of an import, which the command line and GraphQL have, too. What they say together is checked later. */
const options = (channels: readonly string[]) => ({
  channel: choice(channels, 'Channel to link the assets on. Default: `SMP`.'),
  format: choice(formats, 'Format of the file. Default: recognized from its bytes.'),
  encoding: choice(encodings, 'Encoding of the file. Default: recognized from its bytes.'),
  delimiter: text('CSV: separator of cells, or `tab`. Default: recognized from the header.'),
  unescape_formulas: flag(
    'CSV: remove the apostrophes that an export with `escape_formulas` added, and read `="0012"` as `0012`.',
  ),
  sheet: text('XLSX: name of the sheet. Default: the first visible one.'),
  at: text('JSON: keys to the array in an object, such as `data.products`.'),
  decimal: choice(decimals, 'Decimal separator of NUMBER attributes. Default: a point.'),
  preset: choice(presets, 'Shop system that exported the file. Default: none, that is plain columns.'),
  code: text('Column of the product code. Default: `product_code`, otherwise `sku`.'),
  status: text('Column of the product status. Default: `status`.'),
  map_status: text('Values of the status column: `Aktiv=active,Entwurf=draft`.'),
  assets: list('Columns of image URLs: repeat the parameter.'),
  asset_separator: text('Separator between the URLs of a cell. Default: recognized.'),
  asset_base: text('Base URL for relative asset URLs.'),
  map: list('`COLUMN=ATTRIBUTE`: imports a column as an attribute of another name. Repeat the parameter.'),
  only_mapped: flag('Import only the columns of `map` as attributes.'),
  duplicates: choice(
    duplicates,
    'What happens to a later row of a product: its values replace earlier ones, or it fails. Default: `merge`.',
  ),
  dry_run: flag('Dry run: count what would change, and change nothing.'),
})

const jobId = input.text.describe('Id of the import: `job_id` of its start.')

/** Imports of files, as jobs. */
export const imports: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: '/imports',
    summary: 'Import a file',
    description:
      'Receives a file and imports it in the background: CSV in any encoding and separator, JSON, JSON Lines, XLSX or an XML feed, each also compressed by gzip; at most 256 MiB, unless configured otherwise. The file is the body, with any `Content-Type`, chunked or not. Poll GET /imports/{job_id} for the progress. An unknown query parameter is an error. With an `Idempotency-Key` the same file is imported once. `Prefer: max-affected` is refused. An incomplete upload leaves nothing.',
    answers: { kind: 'upload' },
    lists: ['assets', 'map'],
    dataShape: results.StartImport,
    document: operations.StartImportDocument,
    shapes: ({ channels }) => ({ query: z.object({ store_uuid: input.storeUuid, ...options(channels) }) }),
    // For the OpenAPI document and GraphiQL, which show the same operation in GraphQL with the file of its example.
    variables: ({ store_uuid: storeUuid, dry_run: dryRun = false }, _body, file) => ({
      storeUuid,
      input: { content: String(file ?? ''), dryRun },
    }),
    toData: ({ startImport: job }) => restObject(job),
  }),

  endpoint({
    method: 'GET',
    path: '/imports/{job_id}',
    summary: 'Get an import',
    description:
      'The state of an import, how many rows are done and what happened to them. `notes` says what was changed or assumed when the file was read; it is empty until the end.',
    extraReasons: ['import_not_found'],
    dataShape: results.GetImport.omit({ kind: true }),
    document: operations.GetImportDocument,
    shapes: () => ({ query: z.object({ job_id: jobId }) }),
    variables: camelCase,
    toData: ({ job }) => {
      const { kind: _kind, ...shown } = foundImport(job)
      return restObject(shown, 'keep')
    },
  }),

  endpoint({
    method: 'GET',
    path: '/imports/{job_id}/failures',
    summary: 'Get the failed rows of an import',
    description:
      'The complete failed rows with their errors, as a file in the format of the import (XLSX as CSV, XML as JSON Lines): correct them and import that file. Complete once the import has ended; empty if no row failed.',
    extraReasons: ['import_not_found'],
    dataShape: z.object({}),
    answers: {
      kind: 'file',
      typeOf: (result) => mediaTypes[importOf(result).format ?? 'CSV'],
      partOf: (result) => importOf(result).output,
    },
    document: operations.GetImportFailuresDocument,
    shapes: () => ({ query: z.object({ job_id: jobId }) }),
    variables: (query) => ({ ...camelCase(query), part: 0 }),
  }),
]

const mediaTypes: Record<operations.FileFormat, string> = {
  CSV: 'text/csv; charset=utf-8',
  XLSX: 'text/csv; charset=utf-8',
  JSON: 'application/json; charset=utf-8',
  JSONL: 'application/jsonl; charset=utf-8',
  XML: 'application/jsonl; charset=utf-8',
}

function importOf(result: unknown) {
  return foundImport((result as operations.GetImportFailuresQuery).job)
}

function foundImport<Job extends { kind: operations.JobKind }>(job: Job | null): Job {
  const details = 'there is no import with this id, or the token has no access to its store'
  return found(job?.kind === 'IMPORT' ? job : null, 'import_not_found', 'job_id', details)
}
