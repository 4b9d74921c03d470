import { stringify } from 'csv-stringify/sync'
import { escapeFormula } from '../../text.ts'
import { requireDelimiter } from './csv-options.ts'

/** The form of CSV. `escapeFormulas`: cells that a spreadsheet would run begin with an apostrophe. */
export interface CsvForm {
  escapeFormulas?: boolean | undefined
  /** `tab` stands for the character. Default: a comma. */
  delimiter?: string | undefined
  /** Whether the text begins with a byte-order mark, by which Excel knows UTF-8. */
  bom?: boolean | undefined
}

/** An import removes blanks at the ends of unquoted cells, and reads `sep=` and a lone CR as more than text. */
const quoted = /^'*\s|\s$|\r|^sep=/
/** In a header any separator may be taken for the file's. */
const quotedInHeader = new RegExp(`${quoted.source}|[,;|\t]`)

/** The line of the names, and the lines of rows of cells. */
export function csvText({ escapeFormulas, bom, ...form }: CsvForm) {
  const delimiter = requireDelimiter(form.delimiter)
  const cast = escapeFormulas ? { cast: { string: escapeFormula } } : {}
  return {
    head: (names: readonly string[]) =>
      stringify([[...names]], { ...cast, delimiter, bom: bom === true, quoted_match: quotedInHeader }),
    lines: (rows: readonly (readonly unknown[])[]) =>
      stringify([...rows], { ...cast, delimiter, quoted_match: quoted }),
  }
}
