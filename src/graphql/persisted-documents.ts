import { invalidRequest } from '../errors.ts'
import type { RequestParams } from './request-params.ts'

/** Documents that callers may name instead of sending them, by name; `only`: callers may run no others. */
export interface PersistedDocuments {
  documents: ReadonlyMap<string, string>
  only: boolean
}

/** The named document is unknown. By Apollo's protocol the client sends the document itself then. */
export class PersistedQueryMissing extends Error {
  override readonly name = 'PersistedQueryMissing'
  readonly code: string

  constructor(problem: 'Found' | 'Supported') {
    super(`PersistedQueryNot${problem}`)
    this.code = `PERSISTED_QUERY_NOT_${problem.toUpperCase()}`
  }
}

/**
 * The document that a request sends, or names in `extensions.persistedQuery.sha256Hash`. Throws `invalid_request` or
 * `PersistedQueryMissing`.
 */
export function documentOf({ query, extensions }: RequestParams, persisted: PersistedDocuments | undefined): string {
  const name = (extensions.persistedQuery as { sha256Hash?: unknown } | null | undefined)?.sha256Hash
  const isNamed = typeof name === 'string'
  // Some clients send an empty document with the name of one.
  if (query !== undefined && !(query === '' && isNamed)) {
    if (persisted?.only)
      throw invalid('only persisted documents are allowed: send the name of one instead of a document')
    return query
  }
  if (!isNamed) throw invalid(required)
  if (!persisted) throw new PersistedQueryMissing('Supported')
  const document = persisted.documents.get(name)
  if (document === undefined) throw new PersistedQueryMissing('Found')
  return document
}

const required = 'query, or the name of a document in extensions.persistedQuery.sha256Hash, is required'

function invalid(details: string) {
  return invalidRequest([{ field: 'query', details }])
}
