import { type DocumentNode, getOperationAST, Kind } from 'graphql'
import { requestScope } from '../request-scope.ts'

/** Says in the request's scope which operation of a valid document it runs: its first root field, of which the schema has a bounded number. */
export function nameOperation(document: DocumentNode, operationName: string | null | undefined): void {
  const scope = requestScope.getStore()
  const operation = getOperationAST(document, operationName)
  if (!scope || !operation) return
  const field = operation.selectionSet.selections.find((selection) => selection.kind === Kind.FIELD)
  scope.operation = field?.name.value ?? 'fragment'
  scope.isWrite = operation.operation === 'mutation'
  scope.isAlone = operation.selectionSet.selections.length === 1 && field !== undefined
}
