import { type DocumentNode, getOperationAST } from 'graphql'
import type { Kysely, Transaction } from 'kysely'
import type { Logger } from 'pino'
import { endpoints } from '../../rest/endpoints.ts'
import type { RestServices } from '../../rest/handler.ts'
import type { Caller } from '../auth/caller.ts'
import { withSlot } from '../database/connect.ts'
import type { Database } from '../database/tables.ts'
import { requireAccess } from '../graphql/access.ts'
import type { Context } from '../graphql/context.ts'
import type { Engine, PreparedOperation } from '../graphql/prepare.ts'
import { publicErrors } from '../graphql/public-error.ts'
import { createOnce } from '../idempotency/once.ts'
import { traced } from '../request/traced.ts'

interface Parts {
  db: Kysely<Database>
  log: Logger
  contextOf(caller: Caller, requestId: string, transaction?: Transaction<Database>): Context
}

/** How the REST API runs its operations: each is a prepared GraphQL operation. */
export function restServices(
  engine: Engine,
  { db, log, contextOf }: Parts,
): Pick<RestServices<Caller>, 'authorize' | 'execute' | 'withSlot' | 'idempotent'> {
  const operations = prepareAll(engine)
  const operationOf = (document: DocumentNode) => {
    const operation = operations.get(document)
    if (!operation) throw new Error('the document must be one of an endpoint')
    return operation
  }
  const execute = (document: DocumentNode, variables: Record<string, unknown>, context: Context) => {
    const { name, operation } = operationOf(document)
    const work = async () => {
      const { data, errors } = await operation.run(variables, context)
      return { data, errors: errors && publicErrors(errors, log, context.requestId) }
    }
    return traced('operation', name, work)
  }
  const doOnce = createOnce(db)
  return {
    authorize: (document, caller) => requireAccess(operationOf(document).operation.access, caller),
    execute: (document, variables, { caller, requestId }) => execute(document, variables, contextOf(caller, requestId)),
    withSlot: (work) => withSlot(db, work),
    idempotent: (request, work) =>
      doOnce(request, (transaction) =>
        work((document, variables, { caller, requestId }) =>
          execute(document, variables, contextOf(caller, requestId, transaction)),
        ),
      ),
  }
}

interface RestOperation {
  /** The name in the log, the metrics and the trace. */
  name: string
  operation: PreparedOperation
}

function prepareAll(engine: Engine): Map<DocumentNode, RestOperation> {
  const all = endpoints.flatMap(({ document, version }) => {
    const name = nameOf(document)
    const own = [document, { name, operation: engine.prepareOwn(document) }] as const
    if (!version) return [own]
    const current = { name, operation: engine.prepareOwn(version.document) }
    return [own, [version.document, current] as const]
  })
  return new Map(all)
}

/** Makes the function that names the operation at a method and path; `none` where there is none. */
export function createOperationNames(): (method: string, path: string) => string {
  const names = new Map(endpoints.map(({ method, path, document }) => [`${method} /v1${path}`, nameOf(document)]))
  return (method, path) => names.get(`${method === 'HEAD' ? 'GET' : method} ${path}`) ?? 'none'
}

function nameOf(document: DocumentNode): string {
  return getOperationAST(document)?.name?.value ?? 'none'
}
