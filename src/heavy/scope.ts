import type { RequestScope } from '../request-scope.ts'
import type { FromThread, ToThread } from './messages.ts'

/** The scope of a request in the thread: its client leaves when that is told, its statements are told to its trace. */
export function scopeOf(
  { id, scope: known, request }: ToThread & { type: 'request' },
  post: (message: FromThread) => void,
): { scope: RequestScope; leave(): void } {
  const waiting = new Set<() => void>()
  let isGone = false
  const scope: RequestScope = {
    ...known,
    tokenId: request.caller.tokenId,
    tokenName: request.caller.tokenName,
    isGone: () => isGone,
    onGone: (gone) => {
      waiting.add(gone)
      return () => waiting.delete(gone)
    },
  }
  if (known.isTraced) {
    scope.trace = {
      begin: () => () => {},
      statement: ({ error, ...statement }) => post({ type: 'statement', id, statement, failed: error !== undefined }),
      traceparent: () => known.traceparent ?? '',
      end: () => {},
    }
  }
  return {
    scope,
    leave: () => {
      isGone = true
      for (const gone of waiting) gone()
    },
  }
}
