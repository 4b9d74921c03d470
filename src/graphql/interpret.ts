import { type DocumentNode, type ExecutionResult, execute, type GraphQLSchema } from 'graphql'
import type { Context } from '../context.ts'
import { once } from '../once.ts'

/** Runs one operation of a document. What resolvers throw is in the result's errors, as it was thrown. */
export type Run = (variables: Record<string, unknown>, context: Context) => ExecutionResult | Promise<ExecutionResult>

/** Makes the function that runs a document's operation as it is. The document has been validated. */
export function interpret(schema: GraphQLSchema, document: DocumentNode, operationName?: string): Run {
  return (variableValues, contextValue) => execute({ schema, document, operationName, variableValues, contextValue })
}

/**
 * The same, but compiled when it is run for the second time: that takes a while, and then each run a tenth of the time. The compiler itself is loaded with
 * the first document that comes again.
 */
export function compileWhenRunAgain(schema: GraphQLSchema, document: DocumentNode, operationName?: string): Run {
  const interpreted = interpret(schema, document, operationName)
  const compiled = once(async () => (await import('./compile.ts')).compile(schema, document, operationName))
  const first: Run = (variables, context) => {
    run = again
    return interpreted(variables, context)
  }
  const again: Run = async (variables, context) => {
    run = await compiled()
    return run(variables, context)
  }
  let run = first
  return (variables, context) => run(variables, context)
}
