import type { Logger } from 'pino'
import { type Authentication, type AuthenticationOptions, createAuthentication } from './authentication.ts'
import type { RateLimitOptions } from './rate-limit.ts'

export interface AdmissionOptions extends Omit<AuthenticationOptions, 'onError'> {
  /** Requests a minute and token; undefined: as many as they like. */
  rateLimit: number | undefined
  /** Where they are counted. */
  countsIn: RateLimitOptions['countsIn']
  /** Hears the headers that tell a caller how many requests are left. */
  tell(headers: Record<string, string>): void
  log: Logger
}

/** Lets requests in: whose token is good, and has not asked too often. `authenticate` throws `rate_limited` for one that has. */
export function createAdmission({ rateLimit, countsIn, tell, log, ...options }: AdmissionOptions): Authentication {
  const onError = (error: unknown) =>
    log.warn({ reason: error instanceof Error ? error.message : String(error) }, 'tokens could not be asked for again')
  const authentication = createAuthentication({ ...options, onError })
  if (rateLimit === undefined) return authentication
  // Loaded only where there is a limit.
  const counting = import('./rate-limit.ts').then(({ createRateLimit }) =>
    createRateLimit({ perMinute: rateLimit, countsIn }),
  )
  return {
    ...authentication,
    authenticate: async (authorization) => {
      const caller = await authentication.authenticate(authorization)
      if (caller) await (await counting)(caller, tell)
      return caller
    },
  }
}
