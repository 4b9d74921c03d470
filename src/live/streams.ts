import { unavailable } from '../errors.ts'
import { type Caller, tenantOf } from '../request/caller.ts'
import { requestContext } from '../request/context.ts'
import { HttpError } from '../request/http-error.ts'
import { Stream } from './stream.ts'

export type StreamLimits = typeof usual

const usual = {
  ofToken: 10,
  /** A tenant may have many tokens, as JSON Web Tokens of its users. */
  ofTenant: 500,
  ofProcess: 1_000,
  heartbeatMs: 15_000,
  /** Of all streams. Beyond, some of the tenants with the most are cut. */
  unreadBytes: 64 * 1024 * 1024,
}

/** How often tokens and unread bytes are checked. What is known of a token is trusted for some seconds. */
const checkMs = 250

export type Streams = ReturnType<typeof createStreams>

/** The open streams of this process: their number is limited, and they end with their tokens. */
export function createStreams(
  findCaller: (authorization: string | undefined) => Promise<Caller | undefined>,
  limits: Partial<StreamLimits> = {},
) {
  const { ofToken, ofTenant, ofProcess, heartbeatMs, unreadBytes } = { ...usual, ...limits }
  const all = new Set<Stream>()
  /** They begin with the first stream. */
  let timers: NodeJS.Timeout[] | undefined
  let isClosing = false
  let isChecking = false

  /** Cuts the streams whose tokens are no longer valid. One token after the other: a lookup may be a statement. */
  const cutInvalid = async () => {
    if (isChecking) return
    isChecking = true
    for (const [authorization, streams] of Map.groupBy(all, (stream) => stream.authorization)) {
      // While a token cannot be looked up, no changes can be read either.
      const isValid = await findCaller(authorization).then(Boolean, () => true)
      if (!isValid) for (const stream of streams) stream.cut()
    }
    isChecking = false
  }
  const beat = () => {
    for (const stream of all) stream.beat()
  }
  /** Cuts one stream after the other, each time the slowest one of the tenant that has the most unread bytes then. */
  const trim = () => {
    while (unreadOf(all) > unreadBytes) {
      const tenants = [...Map.groupBy(all, ({ share }) => share.tenant).values()]
      const slowest = withMost(withMost(tenants, unreadOf), ({ unreadBytes }) => unreadBytes)
      slowest.cut()
    }
  }
  const startTimers = () =>
    [setInterval(cutInvalid, checkMs), setInterval(trim, checkMs), setInterval(beat, heartbeatMs)].map((timer) =>
      timer.unref(),
    )
  return {
    count: () => all.size,
    /** Takes one of the places. Throws `rate_limited` if there is none. */
    open: (caller: Caller, authorization: string | undefined): Stream => {
      if (isClosing) throw unavailable('unavailable', undefined, 'the service is shutting down')
      const tenant = tenantOf(caller)
      const ofSameTenant = [...all].filter(({ share }) => share.tenant === tenant)
      // The stores of a token may have changed meanwhile.
      const own = [...all].filter(({ share }) => share.tokenId === caller.tokenId)
      if (own.length >= ofToken) throw tooMany(`a token may have ${ofToken} open streams`)
      if (ofSameTenant.length >= ofTenant)
        throw tooMany(`the tokens of the same stores may have ${ofTenant} open streams`)
      if (all.size >= ofProcess) throw tooMany(`the service may have ${ofProcess} open streams`)
      // Outside the request that opens the first stream.
      timers ??= requestContext.exit(startTimers)
      const stream = new Stream(caller, authorization)
      all.add(stream)
      stream.onClose(() => all.delete(stream))
      return stream
    },
    /** Ends all streams, and refuses new ones. */
    close: (): void => {
      isClosing = true
      for (const timer of timers ?? []) clearInterval(timer)
      for (const stream of all) stream.end()
    },
  }
}

function unreadOf(streams: Iterable<Stream>): number {
  return [...streams].reduce((sum, stream) => sum + stream.unreadBytes, 0)
}

function withMost<T>(items: readonly T[], amountOf: (item: T) => number): T {
  return items.reduce((most, item) => (amountOf(item) > amountOf(most) ? item : most))
}

function tooMany(details: string): HttpError {
  return new HttpError('rate_limited', `${details}; close one, or try again later`, { 'Retry-After': '10' })
}
