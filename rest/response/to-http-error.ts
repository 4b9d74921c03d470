import type { Fault, PublicError } from '../../src/errors.ts'
import { HttpError } from '../../src/request/http-error.ts'

/** GraphQL errors as one error of REST: the first one's code decides, the entries are those of all. */
export function toHttpError(errors: readonly PublicError[]): HttpError {
  const reason = errors[0]?.extensions.code ?? 'internal_error'
  const entries = errors.flatMap(({ message, extensions }) => extensions.errorInfo ?? [{ reason, details: message }])
  return new HttpError(reason, entries.map(withRestNames))
}

/** Renames the field of a fault as in REST: `store_uuid` for `storeUuid`. */
function withRestNames(entry: Fault): Fault {
  if (entry.field === undefined) return entry
  return { ...entry, field: entry.field.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) }
}
