import type { GraphQLReply } from '../servers/gateway.ts'
import type { Call, Reply } from './http.ts'

/** The ways of calling a gateway over real HTTP, by default with the bootstrap token. */
export interface Caller {
  call(path: string, call?: Call): Promise<Reply>
  /** Runs a GraphQL document; for tests of status and headers. */
  post(query: string, call?: Call & { variables?: Record<string, unknown> }): Promise<GraphQLResponse>
  /** Runs a document and returns its data and errors. */
  graphql(query: string, variables?: Record<string, unknown>): Promise<GraphQLReply>
  /** Runs a document that must succeed and returns its data. */
  data(query: string, variables?: Record<string, unknown>): Promise<Record<string, never>>
}

type GraphQLResponse = Omit<Reply, 'json'> & { json: GraphQLReply }

export function callerOf(call: Caller['call']): Caller {
  const post: Caller['post'] = async (query, { variables, ...options } = {}) =>
    (await call('/graphql', { method: 'POST', body: { query, variables }, ...options })) as GraphQLResponse
  const graphql: Caller['graphql'] = async (query, variables = {}) => (await post(query, { variables })).json
  return {
    call,
    post,
    graphql,
    data: async (query, variables) => {
      const { data, errors } = await graphql(query, variables)
      if (errors || !data) throw new Error(`the document failed: ${JSON.stringify(errors)}`)
      return data
    },
  }
}

/** The same caller, whose requests have this id. */
export function withRequestId({ call }: Pick<Caller, 'call'>, id: string): Caller {
  return callerOf((path, { headers, ...options } = {}) =>
    call(path, { ...options, headers: { ...headers, 'X-Request-Id': id } }),
  )
}
