import { GraphQLError, type GraphQLSchema } from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import type { Logger } from 'pino'
import type { Context } from '../context.ts'
import { nestsTooDeep } from './brackets.ts'
import { publicError } from './public-error.ts'

/** GraphQL over HTTP (spec: GraphQL over HTTP draft). The plugins stand in the order in which a request meets them. */
export function createGraphQL(schema: GraphQLSchema, log: Logger) {
  return createYoga<Context>({
    schema,
    logging: false,
    graphiql: false,
    landingPage: false,
    cors: false,
    multipart: false,
    batching: false,
    maskedErrors: { maskError: (error) => publicError(error, log) },
    plugins: [limitNesting, answerInOurWords(log)],
  })
}

const limitNesting: Plugin = {
  onParams({ params }) {
    if (typeof params.query === 'string' && nestsTooDeep(params.query)) {
      throw new GraphQLError('the document must nest brackets at most 100 deep', {
        extensions: { http: { status: 400 } },
      })
    }
  },
}

/** Errors of parsing and validation do not pass the mask: here every error gets its reason. */
function answerInOurWords(log: Logger): Plugin {
  return {
    onResultProcess({ result, setResult }) {
      if (!('errors' in result) || !result.errors) return
      setResult({ ...result, errors: result.errors.map((error) => publicError(error, log)) })
    },
  }
}
