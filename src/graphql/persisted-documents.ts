import { invalidRequest } from '../errors.ts'
import type { RequestParams } from './request-params.ts'

/** Documents that callers may name instead of sending them, by name; `only`: callers may run no others. */
export interface PersistedDocuments {
  documents: ReadonlyMap<string, string>
  only: boolean
}

/** The document that a request sends, or names in `extensions.persistedQuery.sha256Hash`. Throws `invalid_request`. */
export function documentOf({ query, extensions }: RequestParams, persisted: PersistedDocuments | undefined): string {
  if (query !== undefined) {
    if (persisted?.only) throw invalid('only documents that are kept here may be run: send the name, not the document')
    return query
  }
  const name = (extensions.persistedQuery as { sha256Hash?: unknown } | null | undefined)?.sha256Hash
  if (typeof name !== 'string' || !persisted) throw invalid(required)
  const document = persisted.documents.get(name)
  if (document === undefined) throw invalid('there is no document of this name')
  return document
}

const required = 'query, or the name of a document in extensions.persistedQuery.sha256Hash, is required'

function invalid(details: string) {
  return invalidRequest([{ field: 'query', details }])
}
