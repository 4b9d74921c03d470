import { brief } from '../../catalogue/bounded-failures.ts'
import { shown } from '../../text.ts'

/** What an import changed or assumed of what it read, and what it suspects. docs/importing.md lists the codes. */
const sentences = {
  no_rows: 'the file has no rows, only the names of its columns or an empty list',
  windows_1252: 'the file is not UTF-8 and was read as Windows-1252',
  short_rows: 'cells that a row lacks at its end were read as empty ones',
  blanks_removed: 'blanks at the ends of unquoted codes, statuses and names of columns were removed',
  blanks_kept: 'codes have blanks at their ends',
  invisible_characters: 'codes or URLs have characters that nobody sees',
  status_case: 'a status was read in lower case',
  escaped_formulas: 'cells have an apostrophe before a formula, or are ="text": --unescape-formulas removes it',
  damaged_values: 'cells are errors of a spreadsheet, or numbers that it has rounded',
  leading_zeros: 'numbers are shown with leading zeros and were read without them',
  hidden: 'rows and columns that the sheet hides were read',
  links: 'links were not read where a cell shows another text',
  other_sheets: 'other sheets were not read: --sheet names one',
  merged_cells: 'cells are merged: only the first of them has the value',
  drawings: 'pictures and charts that are placed on the sheet were not read',
  other_decimal: 'half of the values or more are numbers only with the other --decimal',
  decimal_unused: '--decimal was applied to no value: it is for texts of NUMBER attributes',
  option_unused: 'options were ignored, as they are for files of another format',
  repeated_images: 'an image comes twice with different texts, of which the first was read',
  likely_preset: 'the columns look like those of a shop system, which --preset reads',
  likely_images: 'the column looks like one of images, but becomes an attribute: --assets reads its URLs',
  likely_status: 'the column looks like the status, but becomes an attribute: --status reads it',
  unknown_parent: 'a parent stays as it is, as no earlier row has its ID and a code: sort the file by ID',
  replaced: 'a row replaces values of an earlier row with the same code',
} satisfies Record<string, string>

export type NoteCode = keyof typeof sentences

/** A note on some rows of a column, or of the whole file, with its first example. */
export interface Note {
  code: NoteCode
  column: string | null
  rows: number
  example: string | null
}

/** Collects notes: one for each code and column, of which the first twenty of a code are kept. */
export class Notes {
  readonly #notes = new Map<string, Note>()
  readonly #ofCode = new Map<NoteCode, number>()

  add(code: NoteCode, { column = null, rows = 1, example = null }: Partial<Omit<Note, 'code'>> = {}): void {
    const key = `${code} ${column}`
    const note = this.#notes.get(key)
    if (note) note.rows += rows
    else {
      const kept = this.#ofCode.get(code) ?? 0
      if (kept === maxNotesOfCode) return
      this.#ofCode.set(code, kept + 1)
      this.#notes.set(key, { code, column, rows, example: example && brief(example) })
    }
  }

  list(): Note[] {
    return [...this.#notes.values()]
  }
}

const maxNotesOfCode = 20

/** The note as a sentence for a person. */
export function noteSentence({ code, column, rows, example }: Note): string {
  const where = column === null ? '' : `${shown(column)}: `
  const count = rows > 1 ? ` (${rows} rows)` : ''
  return `note: ${where}${sentences[code]}${example === null ? '' : `, such as ${example}`}${count}`
}
