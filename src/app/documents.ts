import { endpoints } from '../../rest/endpoints.ts'
import type { GlobalConfig } from '../global-config/global-config.ts'
import { lazy } from '../lazy.ts'

/** GraphiQL, made when it is first asked for. */
export function createGraphiql({ enumerations }: GlobalConfig) {
  return lazy(async () => {
    const [{ graphiqlPage }, { graphqlTwins }] = await Promise.all([
      import('../http/static/graphiql.ts'),
      import('../../rest/openapi/operation.ts'),
    ])
    return graphiqlPage(graphqlTwins(endpoints, enumerations()))
  })
}

/** The OpenAPI document; what makes it is loaded when it is first asked for. */
export function createOpenApi({ enumerations }: GlobalConfig) {
  const text = lazy(async () => (await import('../../rest/openapi/document.ts')).openApiText(endpoints, enumerations))
  return async () => (await text())()
}
