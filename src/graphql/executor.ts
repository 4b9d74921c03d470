import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { ExecutionResult, GraphQLSchema } from 'graphql'
import type { Logger } from 'pino'
import type { Context } from '../context.ts'
import { compileWhenRunAgain } from './interpret.ts'
import { publicError } from './public-error.ts'

type Document = TypedDocumentNode<unknown, Record<string, unknown>>

/** Makes the function that runs the façade's documents in process. They were checked against the schema when they were generated. */
export function createExecutor(schema: GraphQLSchema, documents: readonly Document[], log: Logger) {
  const runs = new Map(documents.map((document) => [document, compileWhenRunAgain(schema, document)]))
  return async (document: Document, variables: Record<string, unknown>, context: Context): Promise<ExecutionResult> => {
    const run = runs.get(document)
    if (!run) throw new Error('the document is not one of the façade')
    const result = await run(variables, context)
    if (!result.errors) return result
    const ofRequest = log.child({ requestId: context.requestId })
    return { ...result, errors: result.errors.map((error) => publicError(error, ofRequest)) }
  }
}
