/** A LIKE pattern for texts that contain the given one, whatever characters it has. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}
