import { type Caller, hasScope } from '../auth/caller.ts'
import { HttpError, unauthorized } from '../request/http-error.ts'

export function requireAdmin(caller: Caller | undefined, authorization: string | undefined): void {
  if (!caller) throw unauthorized(authorization)
  if (!hasScope(caller, 'admin')) throw new HttpError('forbidden', 'this needs a token with the scope admin')
}
