import type { DocumentNode, GraphQLSchema } from 'graphql'
import { createYoga, type GraphQLParams, type Plugin } from 'graphql-yoga'

/** A prepared request. `result` runs it and returns what the answer shows. */
export interface YogaContext {
  readonly params: GraphQLParams
  readonly document: DocumentNode
  result(): Promise<unknown>
}

/** Renders results by graphql-yoga, which reads, validates and executes nothing: requests are prepared before. */
export function createYogaServer(schema: GraphQLSchema) {
  return createYoga<YogaContext>({
    schema,
    logging: false,
    graphiql: false,
    landingPage: false,
    cors: false,
    multipart: false,
    batching: false,
    parserAndValidationCache: false,
    // The errors of a result are masked already.
    maskedErrors: false,
    plugins: [usePrepared],
  })
}

const usePrepared: Plugin<YogaContext, YogaContext> = {
  onRequestParse: ({ serverContext, setRequestParser }) => setRequestParser(() => serverContext.params),
  onParse: ({ context, setParsedDocument }) => setParsedDocument(context.document),
  onValidate: ({ setResult }) => setResult([]),
  onExecute: ({ args, setExecuteFn }) => setExecuteFn(() => args.contextValue.result()),
}

export type YogaServer = ReturnType<typeof createYogaServer>
