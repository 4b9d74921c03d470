import { open } from 'node:fs/promises'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { isProductStatus, type ProductStatus, productStatuses } from '../catalogue/enumerations.ts'
import { CatalogueError } from '../errors.ts'
import { exportStore } from '../export/export-store.ts'
import { type ExportForm, exportFormats } from '../export/formats.ts'
import { writeWhole } from '../export/whole-file.ts'
import { withDatabase } from './with-database.ts'

interface ExportOptions extends ExportForm {
  store: string
  channel: string
  status?: ProductStatus
  out?: string
  json: boolean
}

export function addExport(program: Command): void {
  program
    .command('export')
    .description("write a store's products and their assets on one channel, as `catalog import` reads them")
    .requiredOption('--store <uuid>', 'the store')
    .addOption(new Option('--format <format>', 'csv or jsonl').choices(exportFormats).default('csv'))
    .option('--channel <channel>', 'the channel of the assets', 'SMP')
    .option('--status <status>', 'only products of this status', statusOf)
    .option('--escape-formulas', 'CSV: an apostrophe before cells that a spreadsheet would run', false)
    .option('--out <file>', 'where to write instead of stdout')
    .option('--json', 'print one JSON object on stdout; needs --out', false)
    .action(async (options: ExportOptions, command: Command) => {
      if (options.json && options.out === undefined)
        command.error('error: --json needs --out, as stdout has the export otherwise')
      const { store: storeUuid, channel, status, out } = options
      const rows = await withDatabase(({ catalogue }) =>
        writingTo(out, (write) => exportStore(catalogue, { storeUuid, channel, status }, options, write)),
      ).catch((error: unknown) => {
        if (!(error instanceof CatalogueError)) throw error
        return command.error(`error: ${error.message}`, { exitCode: 2 })
      })
      if (options.json) process.stdout.write(`${JSON.stringify({ rows })}\n`)
      else process.stderr.write(`exported ${rows} products\n`)
    })
}

type Write = (text: string) => Promise<void>

async function writingTo(path: string | undefined, work: (write: Write) => Promise<number>): Promise<number> {
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
