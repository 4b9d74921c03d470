import { type DocumentNode, type GraphQLError, type GraphQLSchema, validate } from 'graphql'

/** So many mistakes of one document are told; to find all of those that a hostile one can have takes long. */
const maxErrors = 20

/** What is wrong with a parsed document by the rules of GraphQL. */
export function mistakesOf(schema: GraphQLSchema, document: DocumentNode): readonly GraphQLError[] {
  return validate(schema, document, undefined, { maxErrors })
}
