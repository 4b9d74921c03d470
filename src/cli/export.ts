import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { isProductStatus, type ProductStatus, productStatuses } from '../catalogue/enumerations.ts'
import { CatalogueError } from '../errors.ts'
import { exportStore, type Outline, type Selection } from '../export/export-store.ts'
import { exportFormats } from '../export/formats.ts'
import { withDatabase } from './with-database.ts'

interface ExportOptions {
  store: string
  format: keyof typeof exportFormats
  channel: string
  status?: ProductStatus
  out?: string
  json: boolean
}

/** `catalog export`: writes a store's products, with their assets on one channel, in the shape that `catalog import` reads. */
export function addExport(program: Command): void {
  program
    .command('export')
    .description("write a store's products and their assets on one channel, as `catalog import` reads them")
    .requiredOption('--store <uuid>', 'the store')
    .addOption(new Option('--format <format>', 'csv or jsonl').choices(['csv', 'jsonl']).default('csv'))
    .option('--channel <channel>', 'the channel of the assets', 'SMP')
    .option('--status <status>', 'only products of this status', statusOf)
    .option('--out <file>', 'where to write instead of stdout')
    .option('--json', 'print one JSON object on stdout; needs --out', false)
    .action(async (options: ExportOptions, command: Command) => {
      if (options.json && options.out === undefined)
        command.error('error: --json needs --out, as stdout has the export otherwise')
      const rows = await withDatabase(({ catalogue }) =>
        writingTo(options.out, (sink) => {
          const { store: storeUuid, channel, status } = options
          return exportTo(
            sink,
            (take) => exportStore(catalogue, { storeUuid, channel, status } satisfies Selection, take),
            options.format,
          )
        }),
      ).catch((error: unknown) => {
        if (!(error instanceof CatalogueError)) throw error
        return command.error(`error: ${error.message}`, { exitCode: 2 })
      })
      if (options.json) process.stdout.write(`${JSON.stringify({ rows })}\n`)
      else process.stderr.write(`exported ${rows} products\n`)
    })
}

type Source = (taker: Parameters<typeof exportStore>[2]) => Promise<number>

async function exportTo(sink: Writable, source: Source, format: keyof typeof exportFormats): Promise<number> {
  const { outlined, head, batch } = exportFormats[format]
  let outline: Outline = { attributes: [], formats: [] }
  return source({
    outlined,
    begin: async (read) => {
      outline = read
      await send(sink, head(outline))
    },
    take: (products) => send(sink, batch(products, outline)),
  })
}

/** A file appears under its name when it is whole: until then, and after a failure, what stood there stays. */
async function writingTo(file: string | undefined, work: (sink: Writable) => Promise<number>): Promise<number> {
  if (file === undefined) return work(process.stdout)
  const partial = `${file}.partial`
  const sink = createWriteStream(partial)
  const written = finished(sink)
  try {
    const rows = await Promise.race([work(sink), written.then(() => 0)])
    sink.end()
    await written
    await rename(partial, file)
    return rows
  } catch (error) {
    sink.destroy()
    await written.catch(() => {})
    await rm(partial, { force: true })
    throw error
  }
}

function send(sink: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => sink.write(text, (error) => (error ? reject(error) : resolve())))
}

function statusOf(value: string): ProductStatus {
  if (isProductStatus(value)) return value
  throw new InvalidArgumentError(`It must be one of ${productStatuses.join(', ')}.`)
}
