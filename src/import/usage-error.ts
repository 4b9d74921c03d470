/**
 * The options or the file do not allow the import: nothing was imported. The message is a sentence for the caller; that
 * of an option begins with its name.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
