import type { Fault, PublicError } from '../../src/errors.ts'
import { HttpError } from '../../src/request/http-error.ts'

/** GraphQL errors as one error of REST: the first one's code decides, the entries are those of all. */
export function toHttpError(errors: readonly PublicError[]): HttpError {
  const reason = errors[0]?.extensions.code ?? 'internal_error'
  const entries = errors.flatMap(({ message, extensions }) => extensions.errorInfo ?? [{ reason, details: message }])
  return new HttpError(reason, entries.map(withRestNames))
}

/** Names the field of a fault as REST does, also where its details begin: `store_uuid` for `storeUuid`. */
function withRestNames(entry: Fault): Fault {
  const { field: name, details } = entry
  if (name === undefined) return entry
  const field = name.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return { ...entry, field, details: details.startsWith(`${name} `) ? field + details.slice(name.length) : details }
}
