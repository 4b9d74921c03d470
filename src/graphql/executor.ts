import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { type ExecutionResult, execute, type GraphQLSchema, validate } from 'graphql'
import type { Logger } from 'pino'
import type { Context } from '../context.ts'
import { publicError } from './public-error.ts'

type Document = TypedDocumentNode<unknown, Record<string, unknown>>

/** Checks the documents against the schema, once, and makes the function that runs them in process. Throws when one does not fit. */
export function createExecutor(schema: GraphQLSchema, documents: readonly Document[], log: Logger) {
  for (const document of documents) {
    const [error] = validate(schema, document)
    if (error) throw error
  }
  return async (document: Document, variables: Record<string, unknown>, context: Context): Promise<ExecutionResult> => {
    const result = await execute({ schema, document, variableValues: variables, contextValue: context })
    if (!result.errors) return result
    const ofRequest = log.child({ requestId: context.requestId })
    return { ...result, errors: result.errors.map((error) => publicError(error, ofRequest)) }
  }
}
