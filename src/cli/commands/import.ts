import { type Command, Option } from 'commander'
import { type ImportOptions, presetNames } from '../../import/options.ts'
import { formats } from '../../import/read/row.ts'
import type { Counts } from '../../import/report/counts.ts'
import { UsageError } from '../../import/usage-error.ts'
import { collect, wholeNumber } from '../option-values.ts'

export function addImport(program: Command): void {
  program
    .command('import')
    .description('import products and their assets from a file; the same file again changes nothing')
    .argument('<file>', 'a CSV file, JSON Lines, or a JSON list of objects')
    .requiredOption('--store <store>', 'the store to import into: its UUID, or its name if no other store has it')
    .option('--channel <channel>', "the channel of the assets' groups", 'SMP')
    .addOption(new Option('--format <format>', "the file's format (default: by its ending)").choices(formats))
    .option('--code <column>', 'the column of the product code (default: product_code, else sku)')
    .option('--status <column>', 'the column of the product status (default: status)')
    .option('--assets <column>', 'a column of image URLs: one, several, or a JSON list; repeatable', collect, [])
    .option('--asset-separator <text>', 'what separates the URLs of a cell', ',')
    .option('--asset-base <url>', 'what relative asset URLs are completed by')
    .option('--map <column=attribute>', 'import a column as an attribute of another name; repeatable', collect, [])
    .option('--only-mapped', 'import no attributes but those of --map', false)
    .option('--errors <file>', 'write the rows that fail to a file, as they are, with what is wrong with each')
    .addOption(new Option('--preset <shop>', 'read the export of a shop').choices(presetNames))
    .option('--resume', 'continue an import of the file that was interrupted', false)
    .option('--chunk-rows <n>', 'how many rows one transaction may write (default: 5000)', wholeNumber(1, 999_999))
    .option('--dry-run', 'change nothing, only say what would happen', false)
    .option('--json', 'print one JSON object on stdout', false)
    .action(async (file: string, options: ImportOptions & { json: boolean }, command: Command) => {
      try {
        if (!(await importAndPrint(file, options))) process.exitCode = 1
      } catch (error) {
        if (error instanceof UsageError) command.error(`error: ${error.message}`, { exitCode: 2 })
        throw error
      }
    })
}

/** Returns whether all of the file was imported. */
async function importAndPrint(file: string, { json, ...options }: ImportOptions & { json: boolean }): Promise<boolean> {
  // Loaded here, as it would delay the start of every other command.
  const { importWithProgress } = await import('../import/import-with-progress.ts')
  const interruption = new AbortController()
  const interrupt = (signal: NodeJS.Signals) => interruption.abort(signal)
  const signals = ['SIGINT', 'SIGTERM'] as const
  for (const signal of signals) process.once(signal, interrupt)
  try {
    const { counts, stopped, advice, unseen, resumedAfter } = await importWithProgress(
      file,
      options,
      interruption.signal,
    )
    for (const column of unseen) process.stderr.write(`no row has the column ${JSON.stringify(column)}\n`)
    if (stopped !== undefined) process.stderr.write(`${stopped}${advice}\n`)
    const text = json ? JSON.stringify(answer(counts)) : summary(counts, options.dryRun, resumedAfter)
    process.stdout.write(`${text}\n`)
    return counts.failed === 0 && stopped === undefined
  } finally {
    for (const signal of signals) process.off(signal, interrupt)
    if (interruption.signal.aborted) endSoon(interruption.signal.reason)
  }
}

/** A read of a pipe that nobody writes to delays even an exit: then the signal itself ends the process. */
function endSoon(signal: NodeJS.Signals): void {
  setTimeout(() => process.kill(process.pid, signal), 500).unref()
}

/** The totals of the whole import, whichever run did what. */
function summary({ assetsAdded, linksAdded, ...rows }: Counts, dryRun = false, resumedAfter = 0): string {
  const part = resumedAfter > 0 ? ` in all, ${rows.rows - resumedAfter} of them in this run` : ''
  const products = `${rows.rows} rows${part}: ${rows.created} created, ${rows.updated} updated, ${rows.unchanged} unchanged`
  const note = dryRun ? ' (a dry run: nothing was changed)' : ''
  return `${products}, ${rows.failed} failed; ${assetsAdded} assets and ${linksAdded} links added${note}`
}

function answer({ assetsAdded, linksAdded, ...rows }: Counts) {
  return { ...rows, assets_added: assetsAdded, links_added: linksAdded }
}
