/** The columns that a report of failed rows has before those of its CSV file. An import ignores them. */
export const errorColumns = ['import_error_row', 'import_error_field', 'import_error_expected', 'import_error_got']
/** The keys that a report adds to a JSON object: its faults, and the text of a row that was no object. */
export const errorKeys = { errors: 'import_errors', source: 'import_source' }

const reportColumns: ReadonlySet<string> = new Set([...errorColumns, ...Object.values(errorKeys)])

/** Whether a column was added by a report of failed rows. */
export function isOfReport(column: string): boolean {
  return reportColumns.has(column)
}

const prefix = 'attribute:'

/** The column of an attribute in an export: its name, prefixed if an import would read that as something else. */
export function attributeColumn(attribute: string): string {
  return isTaken(attribute) ? prefix + attribute : attribute
}

/** The attribute of a column: its name, without the prefix that `attributeColumn` adds. */
export function attributeOfColumn(column: string): string {
  const attribute = column.startsWith(prefix) ? column.slice(prefix.length) : column
  return attribute !== column && isTaken(attribute) ? attribute : column
}

/** URL fields of any format are taken: other formats may be configured where the file is imported. */
function isTaken(name: string): boolean {
  return /^.+ URL [1-9]\d*$/s.test(name) || isOfReport(name) || attributeOfColumn(name) !== name
}
