import { errorColumns, errorKeys } from './report-format.ts'

/** What a report of failed rows has besides the rows themselves: an import passes over it. */
export const ofReports: ReadonlySet<string> = new Set([...errorColumns, ...Object.values(errorKeys)])

const prefix = 'attribute:'

/** The column that an export has for an attribute: its name, marked where an import would take that for something else. */
export function attributeColumn(attribute: string): string {
  return isTaken(attribute) ? prefix + attribute : attribute
}

/** The attribute of a marked column; any other column's name itself. */
export function attributeOfColumn(column: string): string {
  const attribute = column.startsWith(prefix) ? column.slice(prefix.length) : column
  return attribute !== column && isTaken(attribute) ? attribute : column
}

/** URL fields of any format, as the formats that are configured may be others where the file is imported. */
function isTaken(name: string): boolean {
  return /^.+ URL [1-9]\d*$/s.test(name) || ofReports.has(name) || attributeOfColumn(name) !== name
}
