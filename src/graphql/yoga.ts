import type { GraphQLSchema } from 'graphql'
import { createYoga, isAsyncIterable, type Plugin } from 'graphql-yoga'
import type { Logger } from 'pino'
import type { Context } from './context.ts'
import type { PreparedOperation } from './prepare.ts'
import { publicErrors } from './public-error.ts'

/** An admitted request: its operation, the context that resolvers get, and what stands in `extensions.cost`. */
export interface YogaContext {
  readonly operation: PreparedOperation
  readonly context: Context
  readonly cost: { requested: number; limit: number }
}

/**
 * GraphQL over HTTP by graphql-yoga: GET, and POST in every media type that the protocol knows. Requests are admitted before
 * (`serve.ts`), so that yoga parses, validates and executes nothing by itself: it runs the operation that the engine has prepared.
 */
export function createYogaServer(schema: GraphQLSchema, log: Logger) {
  return createYoga<YogaContext>({
    schema,
    logging: false,
    graphiql: false,
    landingPage: false,
    cors: false,
    multipart: false,
    batching: false,
    parserAndValidationCache: false,
    // `formatErrors` masks them.
    maskedErrors: false,
    plugins: [runPrepared, formatErrors(log)],
  })
}

const runPrepared: Plugin<YogaContext, YogaContext> = {
  onParse({ context, setParsedDocument }) {
    setParsedDocument(context.operation.document)
  },
  onValidate({ setResult }) {
    setResult([])
  },
  onExecute({ args, setExecuteFn }) {
    const { operation, context, cost } = args.contextValue
    setExecuteFn(() => operation.run(args.variableValues ?? {}, context))
    return {
      onExecuteDone: ({ result, setResult }) => {
        if (!isAsyncIterable(result)) setResult({ ...result, extensions: { cost } })
      },
    }
  },
}

function formatErrors(log: Logger): Plugin<object, YogaContext> {
  return {
    onResultProcess({ result, setResult, serverContext }) {
      if (!('errors' in result) || !result.errors) return
      setResult({ ...result, errors: publicErrors(result.errors, log, serverContext.context.requestId) as never })
    },
  }
}

export type YogaServer = ReturnType<typeof createYogaServer>
