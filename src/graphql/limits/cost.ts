import { complexityFromQuery } from '@pothos/plugin-complexity'
import { type DocumentNode, type GraphQLSchema, getVariableValues, Kind, type OperationDefinitionNode } from 'graphql'

/** The variables do not fit the operation: errors of graphql-js. */
export class InvalidVariables extends AggregateError {}

/** Makes the function that estimates how many fields the answer can have. Throws `InvalidVariables`. */
export function createCost(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode) {
  // The plugin takes the first operation of a document.
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION)
  const alone: DocumentNode = { ...document, definitions: [operation, ...fragments] }
  return (variables: Record<string, unknown>): number => {
    // Each error describes the whole wrong value, which takes long for one of 20,000 members.
    const options = { maxErrors: 3, hideSuggestions: true }
    const { errors } = getVariableValues(schema, operation.variableDefinitions ?? [], variables, options)
    if (errors) throw new InvalidVariables(errors)
    return complexityFromQuery(alone, { schema, variables }).complexity
  }
}
