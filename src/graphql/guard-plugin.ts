import { GraphQLError } from 'graphql'
import { isAsyncIterable, type Plugin } from 'graphql-yoga'
import type { Context } from '../context.ts'
import { CatalogueError } from '../errors.ts'
import type { Guard } from './guard.ts'

/** The guard at yoga's door: what it throws becomes an answer with its HTTP status, and what a request costs stands in `extensions.cost`. */
export function guarded(guard: Guard): Plugin<Context, Context> {
  return {
    onParams({ params }) {
      const { query } = params
      if (typeof query === 'string') refusing(() => guard.text(query))
    },
    onParse({ context, parseFn, setParseFn }) {
      const maxTokens = guard.maxTokens(context.caller)
      setParseFn((source, options) => parseFn(source, { ...options, maxTokens }))
    },
    // Thrown, not set as the result of validation: that would be 200 to who accepts application/json only.
    onValidate({ context, params }) {
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

const statuses: Record<string, number> = { invalid_request: 400, forbidden: 403 }

function refusing<T>(check: () => T): T {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error
    const extensions = { code: error.code, errorInfo: error.faults, http: { status: statuses[error.code] ?? 500 } }
    throw new GraphQLError(error.message, { extensions, originalError: error })
  }
}
