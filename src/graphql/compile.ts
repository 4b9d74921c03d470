import { type DocumentNode, GraphQLError, type GraphQLSchema, type Source } from 'graphql'
import { compileQuery, isCompiledQuery } from 'graphql-jit'
import { interpret, type Run } from './interpret.ts'

/**
 * Makes the function that runs a document's operation: compiled, which takes a tenth of the time, or, where the compiler cannot, interpreted. The
 * document has been validated.
 */
export function compile(schema: GraphQLSchema, document: DocumentNode, operationName?: string): Run {
  const compiled = compileQuery(schema, document, operationName)
  if (!isCompiledQuery(compiled)) return interpret(schema, document, operationName)
  return async (variables, context) => {
    const result = await compiled.query({}, context, variables)
    return result.errors ? { ...result, errors: result.errors.map((error) => located(error, document)) } : result
  }
}

/** The compiler's errors only look like GraphQL's: they know where they lie, but not in what. */
function located({ message, path, originalError, locations }: GraphQLError, document: DocumentNode): GraphQLError {
  const source = document.loc?.source
  const positions = source && locations?.map((location) => positionOf(location, source))
  return new GraphQLError(message, { path, originalError, source, positions })
}

function positionOf({ line, column }: { line: number; column: number }, { body }: Source): number {
  const lines = body.split(/(?<=\r\n|\n|\r(?!\n))/).slice(0, line - 1)
  return lines.join('').length + column - 1
}
