import { Kind } from 'graphql'
import type { Endpoint } from '../rest/endpoint.ts'
import type { RestRequest, RestResponse } from '../rest/handler.ts'
import { requestScope } from './request-scope.ts'

type Authenticate<Caller> = (authorization: string | undefined) => Promise<Caller | undefined>

/** Authentication that leaves which token it is in the request's scope. */
export function notingToken<Caller extends { tokenId: string; tokenName: string }>(
  authenticate: Authenticate<Caller>,
): Authenticate<Caller> {
  return async (authorization) => {
    const caller = await authenticate(authorization)
    const scope = requestScope.getStore()
    if (scope && caller) Object.assign(scope, { tokenId: caller.tokenId, tokenName: caller.tokenName })
    return caller
  }
}

type Handle = (request: RestRequest) => Promise<RestResponse>

/** The façade, leaving in the request's scope which of its operations is asked for. */
export function notingOperation(endpoints: readonly Endpoint[], handle: Handle): Handle {
  const names = new Map(
    [...Map.groupBy(endpoints, ({ path }) => `/v1${path}`)].map(([path, rows]) => [
      path,
      new Map(rows.map((row) => [row.method as string, nameOf(row)])),
    ]),
  )
  return (request) => {
    const scope = requestScope.getStore()
    if (scope) {
      const method = request.method === 'HEAD' ? 'GET' : request.method
      scope.door = 'rest'
      scope.operation = names.get(request.path)?.get(method) ?? 'none'
      scope.isWrite = method !== 'GET'
      scope.isAlone = true
    }
    return handle(request)
  }
}

function nameOf({ document }: Endpoint): string {
  const operation = document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION)
  return operation?.name?.value ?? 'none'
}
