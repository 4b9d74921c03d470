import { GraphQLError } from 'graphql'
import { isAsyncIterable, type Plugin } from 'graphql-yoga'
import type { Context } from '../context.ts'
import { CatalogueError } from '../errors.ts'
import { type Guard, refusalStatus } from './guard.ts'
import { mistakesOf } from './mistakes.ts'

/** The guard at yoga's door: what it throws becomes an answer with its HTTP status, and what a request costs stands in `extensions.cost`. */
export function guarded(guard: Guard): Plugin<Context, Context> {
  return {
    onParams({ params, context }) {
      const { query } = params
      if (typeof query === 'string') refusing(() => guard.text(query, context.caller))
    },
    // Thrown, not set as the result of validation: that would be 200 to who accepts application/json only.
    onValidate({ context, params, setValidationFn }) {
      setValidationFn(mistakesOf)
      refusing(() => guard.document(params.documentAST, context.params.operationName, context.caller))
    },
    onExecute({ args }) {
      const { document, operationName, variableValues, contextValue } = args
      const cost = refusing(() => guard.cost(document, operationName, variableValues, contextValue.caller))
      return {
        onExecuteDone: ({ result, setResult }) => {
          if (!isAsyncIterable(result)) setResult({ ...result, extensions: { ...result.extensions, cost } })
        },
      }
    },
  }
}

function refusing<T>(check: () => T): T {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error
    const extensions = { code: error.code, errorInfo: error.faults, http: { status: refusalStatus(error) } }
    throw new GraphQLError(error.message, { extensions, originalError: error })
  }
}
