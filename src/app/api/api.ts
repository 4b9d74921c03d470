import { schema } from '../../../schema/index.ts'
import { createEngine } from '../../graphql/engine.ts'
import type { Routes } from '../../http/router.ts'
import type { OperationResult } from '../../request/exchange.ts'
import type { ApiOptions } from '../gateway-options.ts'
import { createApiParts } from './api-parts.ts'
import { createGraphQLApi } from './graphql-api.ts'
import { createRestApi } from './rest-api.ts'

/** REST and GraphQL over one schema. Requests and answers are plain data. */
export type Api = Pick<Routes, 'rest' | 'graphql' | 'errorOf'>

export function createApi(options: ApiOptions): Api {
  const parts = createApiParts(createEngine(schema, options.introspection), options)
  const rest = createRestApi(parts)
  const graphql = createGraphQLApi(parts)
  return {
    errorOf: parts.errorOf,
    rest: async (request) => afterWrite(await rest(request), options),
    graphql: async (request) => afterWrite(await graphql(request), options),
  }
}

/** Reports a successful write. Adds its position, if there are replicas. */
function afterWrite(result: OperationResult, { replicas, onWritten }: ApiOptions) {
  const { answer, summary } = result
  if (!summary?.isWrite || answer.status !== 200) return result
  onWritten?.()
  if (!replicas) return result
  return replicas.position().then((position): OperationResult => {
    if (position === undefined) return result
    return { summary, answer: { ...answer, headers: { ...answer.headers, 'X-Catalogue-Position': position } } }
  })
}
