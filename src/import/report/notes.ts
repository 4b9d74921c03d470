import { brief } from '../../catalogue/bounded-failures.ts'
import { shown } from '../../text.ts'

/** What an import changed or assumed of what it read, and what it suspects. The descriptions of the API list them. */
export const noteSentences = {
  no_rows: 'the file has no rows, only the names of its columns or an empty list',
  windows_1252: 'the file is not UTF-8 and was read as Windows-1252',
  declared_encoding: 'the file says that it is in another encoding, and was read as UTF-8, as its bytes are',
  short_rows: 'missing cells at the end of a row were read as empty',
  blanks_removed: 'blanks at the ends of unquoted codes, statuses and names of columns were removed',
  blanks_kept: 'codes have blanks at their ends',
  invisible_characters: 'codes, URLs or names of columns have invisible characters',
  status_case: 'a status was read in lower case',
  escaped_formulas: 'cells have an apostrophe before a formula, or are ="text": --unescape-formulas removes it',
  damaged_values: 'cells have an error of a spreadsheet, a number that it rounded, or a date in place of a code',
  leading_zeros: 'numbers are shown with zeros, letters or signs of their format, and were read without them',
  hidden: 'hidden rows and columns of the sheet were read',
  links: 'links of cells that show another text were not read',
  other_sheets: 'other sheets were not read: --sheet names one',
  merged_cells: 'cells are merged: only the first of them has the value',
  drawings: 'pictures and charts that are placed on the sheet were not read',
  other_decimal: 'at least half of the values are numbers only with the other --decimal',
  only_numbers: 'all values are numbers: filters and sorting by them are fast with a definition as NUMBER, filterable',
  decimal_unused: '--decimal was applied to no value: it is for texts of NUMBER attributes',
  option_unused: 'options for other formats were ignored',
  repeated_images:
    'an image appears twice with different alt texts, or there is an alt text without an image: the first was read',
  unseen_column: 'no row has this column, which an option names',
  likely_preset: 'the columns look like an export of a shop system: --preset reads it',
  other_language:
    'the preset found neither images nor a status: it reads English names of columns; --assets and --status name others',
  likely_images: 'the column seems to have images, but becomes an attribute: --assets reads its URLs',
  likely_status: 'the column seems to have the status, but becomes an attribute: --status reads it',
  unknown_parent: 'a parent was kept as it is, because no earlier row has its ID and a code: sort the file by ID',
  replaced: 'a row replaces values of an earlier row with the same code',
} satisfies Record<string, string>

export type NoteCode = keyof typeof noteSentences

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
  return `note: ${where}${noteSentences[code]}${example === null ? '' : `, such as ${example}`}${count}`
}
