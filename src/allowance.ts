import { CatalogueError } from './errors.ts'
import { type RequestScope, requestScope } from './request-scope.ts'

/** What becomes of JSON text: objects, or text as it stands where the façade answers, which is done in a fraction of the time. */
type Becoming = 'objects' | 'text'

const textIsLighter = 16

/**
 * Takes the characters of JSON text that a read works on from what it may work on here. When nothing is left it throws `unavailable`, and notes in the request's
 * scope that it is costly: then it is answered elsewhere. How much a page has is not known before it is read.
 */
export function spend(characters: number, becoming: Becoming = 'objects', scope = requestScope.getStore()): void {
  if (!mayGoElsewhere(scope)) return
  scope.allowance -= becoming === 'text' && scope.door === 'rest' ? characters / textIsLighter : characters
  if (scope.allowance < 0) throw tooMuchHere(scope)
}

/**
 * The same for work that comes before anything is written, in a write that is all of its request: it is given up, undone and done elsewhere. A write that is one of
 * several is done here, as those before it are done.
 */
export function spendBeforeWriting(characters: number, scope = requestScope.getStore()): void {
  if (scope?.allowance === undefined || !scope.isAlone) return
  scope.allowance -= characters
  if (scope.allowance < 0) throw tooMuchHere(scope)
}

/** Whether the request changes nothing, so that it can be given up here and answered elsewhere. */
export function mayGoElsewhere(scope: RequestScope | undefined): scope is RequestScope & { allowance: number } {
  return scope?.allowance !== undefined && scope.isWrite === false
}

/** The reason for giving a request up here, noted in its scope. */
export function tooMuchHere(scope: RequestScope): CatalogueError {
  scope.isCostly = true
  return new CatalogueError('unavailable', [{ reason: 'unavailable', details: 'this is read elsewhere: it is large' }])
}
