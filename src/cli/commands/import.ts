import { type Command, Option } from 'commander'
import { defaultChannel } from '../../catalogue/enumerations.ts'
import {
  decimalMarks,
  duplicateRules,
  encodings,
  formats,
  type ImportOptions,
  presetNames,
} from '../../import/options.ts'
import type { Counts } from '../../import/position.ts'
import type { Recognized } from '../../import/read/row.ts'
import { noteSentence } from '../../import/report/notes.ts'
import { collect, jsonFlag, storeOption, wholeNumber } from '../option-values.ts'
import { counted, printResult, snakeCased } from '../output.ts'

export function addImport(program: Command): void {
  storeOption(program.command('import'))
    .description('import products and their assets from a file; importing the same file again changes nothing')
    .argument('<file>', 'a CSV file, a spreadsheet (XLSX), JSON Lines, a JSON list of objects, or an XML feed')
    .option('--channel <channel>', "the channel of the assets' groups", defaultChannel)
    .addOption(
      new Option('--format <format>', 'the format of the file (default: by its extension; XLSX by its bytes)').choices(
        formats,
      ),
    )
    .addOption(new Option('--encoding <name>', 'the encoding (default: recognized)').choices(encodings))
    .option('--delimiter <character>', 'the separator of cells, or tab (default: recognized from the header)')
    .option('--unescape-formulas', 'CSV: remove the apostrophes of --escape-formulas, and read ="0012" as 0012', false)
    .option('--sheet <name>', 'the sheet of a spreadsheet (default: the first visible one)')
    .option('--at <keys>', 'where the list is in a JSON object, such as data.products')
    .addOption(
      new Option('--decimal <mark>', 'the decimal separator of numbers (default: a point)').choices(decimalMarks),
    )
    .option('--code <column>', 'the column of the product code (default: product_code, otherwise sku)')
    .option('--status <column>', 'the column of the product status (default: status)')
    .option(
      '--assets <column>',
      'a column with one image URL, several, or a JSON list of them; repeatable',
      collect,
      [],
    )
    .option('--asset-separator <text>', 'the separator of several URLs in a cell (default: recognized)')
    .option('--asset-base <url>', 'the base URL of relative asset URLs')
    .option('--map <column=attribute>', 'import a column as an attribute with another name; repeatable', collect, [])
    .option('--only-mapped', 'import only the attributes of --map', false)
    .option('--map-status <value=status,…>', 'values of the status column, such as Aktiv=active,Entwurf=draft')
    .addOption(
      new Option('--duplicates <rule>', 'what happens to a later row of a product (default: merge)').choices(
        duplicateRules,
      ),
    )
    .option('--errors <file>', 'write the rows that fail to a file, unchanged, each with its error')
    .addOption(new Option('--preset <shop>', 'read the export of a shop system').choices(presetNames))
    .option('--resume', 'continue an interrupted import of the file', false)
    .option('--chunk-rows <n>', 'maximum number of rows per transaction (default: 5000)', wholeNumber(1, 999_999))
    .option('--dry-run', 'change nothing, only print the result', false)
    .option(...jsonFlag)
    .action(async (file: string, options: ImportOptions & { json: boolean }) => {
      if (!(await importAndPrint(file, options))) process.exitCode = 1
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
    const { counts, stopped, advice, resumedAfter, recognized, notes, requestId } = await importWithProgress(
      file,
      options,
      interruption.signal,
    )
    for (const note of notes) process.stderr.write(`${noteSentence(note)}\n`)
    if (stopped !== undefined) process.stderr.write(`${stopped}${advice}\n`)
    const { assetsAdded, linksAdded, assetsFailed, replaced, ...rows } = counts
    const shown = snakeCased({ ...rows, assetsAdded, linksAdded, assetsFailed, replaced })
    const answer = { ...shown, notes, ...recognized, ...(requestId !== undefined && { request_id: requestId }) }
    const ofRequest = requestId === undefined ? '' : `\nrequest: ${requestId}`
    printResult(json, answer, summary(counts, recognized, options.dryRun, resumedAfter) + ofRequest)
    return counts.failed + counts.assetsFailed === 0 && stopped === undefined
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
function summary(
  { assetsAdded, linksAdded, assetsFailed, ...rows }: Counts,
  recognized: Recognized | undefined,
  dryRun = false,
  resumedAfter = 0,
): string {
  const part = resumedAfter > 0 ? ` in all, ${rows.rows - resumedAfter} of them in this run` : ''
  const products = `${counted(rows.rows, 'row')}${part}: ${rows.created} created, ${rows.updated} updated, ${rows.unchanged} unchanged`
  const note = dryRun ? ' (a dry run: nothing was changed)' : ''
  const shape = Object.entries(recognized ?? {})
    .map(([key, value]) => `${key}: ${key === 'delimiter' ? JSON.stringify(value) : value}`)
    .join(', ')
  return `${products}, ${rows.failed} failed; ${counted(assetsAdded, 'asset')} and ${counted(linksAdded, 'link')} added${assetsFailed > 0 ? `, ${counted(assetsFailed, 'asset')} failed` : ''}${note}${shape === '' ? '' : `\n${shape}`}`
}
