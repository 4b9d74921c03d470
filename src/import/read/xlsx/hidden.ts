import type { Notes } from '../../report/notes.ts'
import { isOn } from './cell-text.ts'
import type { SheetRow } from './sheet-cells.ts'

/** Notes rows, and columns with a name in the first row, that a sheet hides: filters hide rows. */
export function hiddenParts(notes: Notes) {
  const columns: (readonly [from: number, to: number])[] = []
  let isFirst = true
  return {
    addColumns: ({ min, max, hidden }: Readonly<Record<string, string>>) => {
      if (isOn(hidden)) columns.push([Number(min) - 1, Number(max)])
    },
    addRow: ({ line, cells, isHidden }: SheetRow) => {
      if (isHidden) notes.add('hidden', { example: `line ${line}` })
      const named = isFirst ? [...cells.entries()].filter(([, column]) => column !== '') : []
      for (const [at, column] of named)
        if (columns.some(([from, to]) => at >= from && at < to)) notes.add('hidden', { column, rows: 0 })
      isFirst = false
    },
  }
}
