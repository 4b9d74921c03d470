import { type AuthenticationOptions, createAuthentication } from './authentication.ts'
import type { Caller } from './caller.ts'

export interface AdmissionOptions extends AuthenticationOptions {
  rateLimit?: number | undefined
  /** Whether all processes count together, in the database; otherwise each in its memory. */
  isRateLimitShared: boolean
}

export interface Admission {
  /** The caller; undefined without a valid token. Throws `rate_limited`, or why the token could not be read. */
  caller(): Caller | undefined
  /** Headers for the answer, whatever it is: how many requests are left. */
  headers: Record<string, string>
  /** The caller's token; empty without one. */
  tokenId: string
  tokenName: string | undefined
}

/** Makes the function that authenticates an `Authorization` header and counts the request. It never rejects. */
export function createAdmission({ rateLimit: perMinute, isRateLimitShared, ...options }: AdmissionOptions) {
  const authenticate = createAuthentication(options)
  // Loaded only where there is a limit.
  const counting =
    perMinute === undefined
      ? undefined
      : import('./rate-limit.ts').then(({ createRateLimit }) =>
          createRateLimit(perMinute, isRateLimitShared ? options.db : undefined),
        )
  return async (authorization: string | undefined): Promise<Admission> => {
    try {
      const caller = await authenticate(authorization)
      if (!caller) return anonymous
      const counted = counting && (await (await counting)(caller))
      const { tokenId, tokenName } = caller
      return { caller: returning(caller, counted?.error), headers: counted?.headers ?? {}, tokenId, tokenName }
    } catch (error) {
      return { ...anonymous, caller: returning(undefined, error) }
    }
  }
}

function returning(caller: Caller | undefined, error: unknown): Admission['caller'] {
  return () => {
    if (error !== undefined) throw error
    return caller
  }
}

const anonymous: Admission = { caller: () => undefined, headers: {}, tokenId: '', tokenName: undefined }
