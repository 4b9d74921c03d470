import { usePersistedOperations } from '@graphql-yoga/plugin-persisted-operations'
import { GraphQLError } from 'graphql'
import type { Plugin } from 'graphql-yoga'

/** Documents that callers may name instead of sending them, by their names; `only`: and run no others. */
export interface PersistedDocuments {
  documents: ReadonlyMap<string, string>
  only: boolean
}

/** Takes `extensions.persistedQuery.sha256Hash` for a document's name. What is kept passes the same checks as what is sent. */
export function persisted({ documents, only }: PersistedDocuments): Plugin {
  return usePersistedOperations({
    getPersistedOperation: (name: string) => documents.get(name) ?? null,
    allowArbitraryOperations: !only,
    customErrors: {
      notFound: () => refusal('there is no document of this name'),
      keyNotFound: () =>
        refusal('query, or the name of a document in extensions.persistedQuery.sha256Hash, is required'),
      persistedQueryOnly: () =>
        refusal('only documents that are kept here may be run: send the name, not the document'),
    },
  })
}

function refusal(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { http: { status: 400 } } })
}
