import { listDefinitions } from '../../catalogue/attributes/attribute-definitions.ts'
import { numbersOf } from '../../catalogue/attributes/attribute-rules.ts'
import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { ImportRequest } from '../options.ts'
import { groupByProduct } from '../presets/presets.ts'
import { readRows } from '../read/read-rows.ts'
import { withComma } from './decimals.ts'
import type { RowStream } from './stream-rows.ts'

/**
 * The attributes of numbers that have a value such as `12,50` anywhere in a file: they decide how the numbers before it
 * are read. The file is read once more; none is known of one that can be read once, and those of XLSX need not be.
 */
export async function attributesWithCommas(
  catalogue: Catalogue,
  request: ImportRequest,
  { recognized: { format, delimiter, encoding }, layout }: RowStream,
  { reopen, signal }: { reopen?: () => AsyncIterable<Buffer>; signal: AbortSignal },
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  if (!reopen || format === 'xlsx' || delimiter === ';' || request.decimal !== undefined) return found
  const definitions = await listDefinitions(catalogue, request.storeUuid)
  const numbers = numbersOf(definitions)
  if (numbers.size === 0) return found
  const file = await readRows(reopen(), { ...request, ...(encoding && { encoding }), ...(delimiter && { delimiter }) })
  let plan: { columns: readonly string[]; places: (readonly [at: number, name: string])[] } | undefined
  for await (const rows of groupByProduct(file, request).rows) {
    signal.throwIfAborted()
    for (const row of rows) {
      if ('reason' in row) continue
      if (row.columns !== plan?.columns) {
        const places = row.columns.flatMap((column, at) => {
          const name = layout.attributeOf(column)
          return name !== undefined && numbers.has(name) ? [[at, name] as const] : []
        })
        plan = { columns: row.columns, places }
      }
      for (const [at, name] of plan.places) if (withComma.test(String(row.cells[at] ?? ''))) found.add(name)
    }
  }
  return found
}
