import { GraphQLError, type GraphQLSchema } from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import type { Logger } from 'pino'
import type { Context } from '../context.ts'
import type { Guard } from './guard.ts'
import { guarded } from './guard-plugin.ts'
import { nameOperation } from './name-operation.ts'
import { type PersistedDocuments, persisted } from './persisted-documents.ts'
import { publicError } from './public-error.ts'
import { tellable } from './refusal.ts'

/** GraphQL over HTTP (spec: GraphQL over HTTP draft). The plugins stand in the order in which a request meets them. */
export function createGraphQL(
  schema: GraphQLSchema,
  guard: Guard,
  log: Logger,
  documents: PersistedDocuments | undefined,
) {
  return createYoga<Context>({
    schema,
    logging: false,
    graphiql: false,
    landingPage: false,
    cors: false,
    multipart: false,
    batching: false,
    // Every result passes answerInOurWords, which knows the request that the log shall name.
    maskedErrors: false,
    plugins: [
      refuseUnreadable,
      ...(documents ? [persisted(documents)] : []),
      guarded(guard),
      nameForTheRecord,
      answerInOurWords(guard, log),
    ],
  })
}

/** The parameters of a GET are read with a bare `JSON.parse`: what it throws is the caller's mistake, not ours. */
const refuseUnreadable: Plugin = {
  onRequestParse({ requestParser, setRequestParser }) {
    if (!requestParser) return
    setRequestParser(async (request) => {
      try {
        return await requestParser(request)
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error
        throw new GraphQLError('variables and extensions must be JSON', { extensions: { http: { status: 400 } } })
      }
    })
  },
}

/** Only what is executed has a name: it is valid, so that its fields are those of the schema. */
const nameForTheRecord: Plugin = {
  onExecute({ args }) {
    nameOperation(args.document, args.operationName)
  },
}

/** Here every error gets its reason, and what nobody foresaw is masked and logged. */
function answerInOurWords(guard: Guard, log: Logger): Plugin<object, Context> {
  return {
    onResultProcess({ result, setResult, serverContext }) {
      if (!('errors' in result) || !result.errors) return
      const ofRequest = log.child({ requestId: serverContext.requestId })
      const errors = result.errors.map((error) => answerable(error, ofRequest))
      setResult({ ...result, errors: tellable(errors, guard.mayIntrospect(serverContext.caller)) })
    },
  }
}

/** As every error; but a document can chain fragments until graphql-js, which calls itself for each, exhausts the stack: its own fault. */
function answerable(error: unknown, log: Logger): GraphQLError {
  const cause = error instanceof GraphQLError ? (error.originalError ?? error) : error
  if (!(cause instanceof RangeError && /call stack/.test(cause.message))) return publicError(error, log)
  const extensions = { code: 'invalid_request', http: { status: 400 } }
  return new GraphQLError('the document must not nest or chain fragments so deep', { extensions })
}
