/** Prints the result of a command on stdout: one JSON object with `--json`, otherwise the text. */
export function printResult(json: boolean, result: object, text: string): void {
  process.stdout.write(`${json ? JSON.stringify(result) : text}\n`)
}

/** Rows of cells as lines of columns that are as wide as their widest cell. */
export function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  const lineOf = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return rows.map((row) => lineOf(row).trimEnd()).join('\n')
}
