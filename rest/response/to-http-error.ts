import type { Fault, PublicError } from '../../src/errors.ts'
import { HttpError } from '../../src/request/http-error.ts'

/** GraphQL errors as one error of REST: the first one's code decides, the entries are those of all. */
export function toHttpError(errors: readonly PublicError[]): HttpError {
  const reason = errors[0]?.extensions.code ?? 'internal_error'
  const entries = errors.flatMap(({ message, extensions }) => extensions.errorInfo ?? [{ reason, details: message }])
  return new HttpError(reason, entries.map(withRestNames))
}

/** The arguments that are the body of a request: a list of items, or an object. */
const inBody = /^(?:input\.|(?:products|groups|selectors|links)\[(\d+)\]\.)/

const renamed: Record<string, string> = { removeAttributes: 'attributes_to_remove', 'filter.search': 'search' }

/**
 * Names the field of a fault as REST does, also where its details begin: `item 0: asset_id` for `selectors[0].assetId`.
 */
function withRestNames(entry: Fault): Fault {
  const { field: name, details } = entry
  if (name === undefined) return entry
  const [argument = '', index] = inBody.exec(name) ?? []
  const inner = name.slice(argument.length)
  const field = renamed[inner] ?? inner.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const subject = index === undefined ? field : `item ${index}: ${field}`
  return { ...entry, field, details: details.startsWith(`${name} `) ? subject + details.slice(name.length) : details }
}
