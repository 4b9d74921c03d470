import { type AuthenticationOptions, createAuthentication } from './authentication.ts'
import type { Caller } from './caller.ts'
import type { RateLimitOptions } from './rate-limit.ts'

export interface AdmissionOptions extends AuthenticationOptions {
  /** Requests per minute and token; undefined: no limit. */
  rateLimit: number | undefined
  countsIn: RateLimitOptions['countsIn']
}

/** The outcome of authentication. */
export interface Admission {
  /** The caller; undefined without a valid token. Throws `rate_limited`, or why the token could not be read. */
  caller(): Caller | undefined
  /** Headers for the answer, whatever it is: how many requests are left. */
  headers: Record<string, string>
  /** The caller's token; empty without one. */
  tokenId: string
  tokenName: string | undefined
}

/** Makes the function that authenticates the caller of an `Authorization` header and counts the request. It never rejects. */
export function createAdmission({ rateLimit, countsIn, ...options }: AdmissionOptions) {
  const authenticate = createAuthentication(options)
  // Loaded only where there is a limit.
  const counting =
    rateLimit === undefined
      ? undefined
      : import('./rate-limit.ts').then(({ createRateLimit }) => createRateLimit({ perMinute: rateLimit, countsIn }))
  const admit = async (authorization: string | undefined): Promise<Admission> => {
    const caller = await authenticate(authorization)
    if (!caller) return anonymous
    const { tokenId, tokenName } = caller
    const { headers, error } = counting ? await (await counting)(caller) : uncounted
    return { caller: error ? throwing(error) : () => caller, headers, tokenId, tokenName }
  }
  return (authorization: string | undefined): Promise<Admission> => admit(authorization).catch(unreadable)
}

const uncounted = { headers: {}, error: undefined }

const anonymous: Admission = { caller: () => undefined, headers: {}, tokenId: '', tokenName: undefined }

function unreadable(error: unknown): Admission {
  return { ...anonymous, caller: throwing(error) }
}

function throwing(error: unknown): () => never {
  return () => {
    throw error
  }
}
