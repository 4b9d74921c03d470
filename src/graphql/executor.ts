import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { type ExecutionResult, type GraphQLSchema, validate } from 'graphql'
import type { Logger } from 'pino'
import type { Context } from '../context.ts'
import { compile } from './compile.ts'
import { publicError } from './public-error.ts'

type Document = TypedDocumentNode<unknown, Record<string, unknown>>

/** Checks the documents against the schema and compiles them, once, and makes the function that runs them in process. Throws when one does not fit. */
export function createExecutor(schema: GraphQLSchema, documents: readonly Document[], log: Logger) {
  const runs = new Map(documents.map((document) => [document, compileChecked(schema, document)]))
  return async (document: Document, variables: Record<string, unknown>, context: Context): Promise<ExecutionResult> => {
    const run = runs.get(document)
    if (!run) throw new Error('the document is not one of the façade')
    const result = await run(variables, context)
    if (!result.errors) return result
    const ofRequest = log.child({ requestId: context.requestId })
    return { ...result, errors: result.errors.map((error) => publicError(error, ofRequest)) }
  }
}

function compileChecked(schema: GraphQLSchema, document: Document) {
  const [error] = validate(schema, document)
  if (error) throw error
  return compile(schema, document)
}
