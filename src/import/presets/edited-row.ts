import type { Cell, Row } from '../read/row.ts'

/** The cells of a row by their columns, to change and to add to. Columns of the file without a name stay. */
export class EditedRow {
  readonly #row: Row
  readonly #columns: string[]
  readonly #cells: Cell[]
  readonly #places = new Map<string, number>()
  readonly #dropped = new Set<number>()

  constructor(row: Row) {
    this.#row = row
    this.#columns = [...row.columns]
    this.#cells = row.columns.map((_column, at) => row.cells[at] ?? '')
    for (const [at, column] of row.columns.entries()) if (column !== '') this.#places.set(column, at)
  }

  /** The number of columns with a name. */
  get size(): number {
    return this.#places.size
  }

  has(column: string): boolean {
    return this.#places.has(column)
  }

  get(column: string): Cell {
    return this.#cells[this.#places.get(column) ?? -1] ?? ''
  }

  set(column: string, cell: Cell): void {
    const at = this.#places.get(column) ?? this.#columns.length
    if (at === this.#columns.length) {
      this.#columns.push(column)
      this.#places.set(column, at)
    }
    this.#cells[at] = cell
  }

  /** Leaves out a column, with its name. */
  drop(column: string): void {
    const at = this.#places.get(column)
    if (at === undefined) return
    this.#dropped.add(at)
    this.#places.delete(column)
  }

  row(): Row {
    // Rows with the same list of columns are planned once.
    const hasSame = this.#dropped.size === 0 && this.#columns.length === this.#row.columns.length
    if (hasSame) return { ...this.#row, cells: this.#cells }
    const places = [...this.#columns.keys()].filter((at) => !this.#dropped.has(at))
    const columns = places.map((at) => this.#columns[at] ?? '')
    return { ...this.#row, columns, cells: places.map((at) => this.#cells[at] ?? ''), places }
  }
}
