import { open } from 'node:fs/promises'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { defaultChannel, isProductStatus, type ProductStatus, productStatuses } from '../../catalogue/enumerations.ts'
import { findStoreUuid } from '../../catalogue/stores/stores.ts'
import { exportChanges } from '../../export/export-changes.ts'
import { exportStore } from '../../export/export-store.ts'
import { type ExportForm, exportFormats } from '../../export/formats.ts'
import { writeWhole } from '../../export/whole-file.ts'
import { decimalMarks } from '../../import/options.ts'
import { UsageError } from '../../import/usage-error.ts'
import { startProgress } from '../import/progress.ts'
import { storeOption } from '../option-values.ts'
import { counted, showProgress } from '../output.ts'
import { requireRecording, withDatabase } from '../with-database.ts'

interface ExportOptions extends ExportForm {
  store: string
  channel: string
  status?: ProductStatus
  since?: string
  out?: string
  json: boolean
  excel: boolean
}

export function addExport(program: Command): void {
  storeOption(program.command('export'))
    .description("write a store's products and their assets on one channel, as `catalog import` reads them")
    .addOption(new Option('--format <format>', 'csv or jsonl').choices(exportFormats).default('csv'))
    .option('--channel <channel>', 'the channel of the assets', defaultChannel)
    .option('--status <status>', 'only products of this status', statusOf)
    .option('--since <cursor>', 'only products changed or deleted since the cursor, as JSON Lines')
    .option('--columns <names>', 'CSV: the columns, as a line of CSV (default: those of all products of the store)')
    .option('--delimiter <character>', 'CSV: the separator of cells: , ; | or tab', ',')
    .addOption(new Option('--decimal <mark>', 'CSV: the decimal separator of NUMBER attributes').choices(decimalMarks))
    .option('--bom', 'CSV: begin with a byte-order mark', false)
    .option('--escape-formulas', 'CSV: prefix cells that a spreadsheet would run as formulas with an apostrophe', false)
    .option('--excel', 'CSV for Excel: --delimiter ";" --bom --escape-formulas', false)
    .option('--out <file>', 'the file to write to instead of stdout')
    .option('--json', 'print one JSON object on stdout; needs --out', false)
    .action(async (options: ExportOptions) => {
      const { store, channel, status, since, out, format, columns, decimal, excel, json } = options
      const { delimiter, bom, escapeFormulas } = excel ? { delimiter: ';', bom: true, escapeFormulas: true } : options
      if (json && out === undefined)
        throw new UsageError('--json needs --out, because the export is written to stdout otherwise')
      if (since !== undefined && status) throw new UsageError('--since cannot be combined with --status')
      const result = await withDatabase(async ({ db, catalogue, config }) => {
        if (since !== undefined) requireRecording(config)
        const selection = { storeUuid: await findStoreUuid(db, store), channel, status }
        return writingTo(out, async (write) => {
          if (since !== undefined) return exportChanges(catalogue, selection, since, write)
          const form = { format, delimiter, bom, escapeFormulas, columns, decimal }
          return { rows: await exportStore(catalogue, selection, form, showing(write, out)) }
        })
      })
      showProgress('')
      if (json) process.stdout.write(`${JSON.stringify(result)}\n`)
      else process.stderr.write(`${sentence(result)}\n`)
    })
}

function sentence(result: { rows: number } | Awaited<ReturnType<typeof exportChanges>>): string {
  const exported = `exported ${counted(result.rows, 'product')}`
  return 'next' in result ? `${exported}, ${result.deleted} deleted; next cursor: ${result.next}` : exported
}

type Write = (text: string) => Promise<void>

/** Shows how many products have been written, unless the terminal shows the products themselves. */
function showing(write: Write, out: string | undefined): (text: string, products: number) => Promise<void> {
  if (out === undefined && process.stdout.isTTY) return write
  const { update } = startProgress(process.stderr, { unit: 'products' })
  let rows = 0
  return async (text, products) => {
    await write(text)
    rows += products
    if (products > 0) update({ rows })
  }
}

async function writingTo<T>(path: string | undefined, work: (write: Write) => Promise<T>): Promise<T> {
  if (path === undefined) return work(toStdout)
  return writeWhole(path, async (partial) => {
    const file = await open(partial, 'wx')
    return work((text) => file.appendFile(text)).finally(() => file.close())
  })
}

function toStdout(text: string): Promise<void> {
  return new Promise((resolve, reject) => process.stdout.write(text, (error) => (error ? reject(error) : resolve())))
}

function statusOf(value: string): ProductStatus {
  if (isProductStatus(value)) return value
  throw new InvalidArgumentError(`It must be one of ${productStatuses.join(', ')}.`)
}
