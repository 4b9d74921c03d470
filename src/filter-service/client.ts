import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleWhen,
  retry,
} from 'cockatiel'
import type { Logger } from 'pino'
import type { FilterService } from '../catalogue/asset-groups/list-groups.ts'
import { unavailable } from '../errors.ts'
import { requestContext } from '../request/context.ts'
import { type FilterEndpoint, FilterFailure, openFilterEndpoint } from './call.ts'

export interface FilterAddress {
  url: string
  /** The deadline of a call and its retries in ms. */
  timeoutMs: number
}

export type FilterClient = ReturnType<typeof createFilterClient>

const failuresToOpen = 5
const reachableMs = 1_000
/** A call is retried only if this much time is left. */
const retryNeedsMs = 200

/** The filtering service at a URL, with one deadline for a call and its retries, and a circuit breaker. */
export function createFilterClient({
  url,
  timeoutMs,
  probeAfterMs = 10_000,
  log,
}: FilterAddress & { probeAfterMs?: number; log: Logger }) {
  const endpoint = openFilterEndpoint(url)
  // A refused call does not open the circuit.
  const isFailure = (error: Error) => !(error instanceof FilterFailure && error.kind === 'refused')
  const breaker = circuitBreaker(handleWhen(isFailure), {
    halfOpenAfter: probeAfterMs,
    breaker: new ConsecutiveBreaker(failuresToOpen),
  })
  breaker.onBreak(() => log.error({ circuit: 'open' }, 'the filtering service failed repeatedly: calls are suspended'))
  breaker.onHalfOpen(() => log.info({ circuit: 'half-open' }, 'one call probes the filtering service'))
  breaker.onReset(() => log.info({ circuit: 'closed' }, 'the filtering service answers again'))
  /** Throws `downstream_unavailable` within the deadline, at once while the circuit is open. */
  const choose: FilterService = async (...query) => {
    try {
      return await throughCircuit(breaker, (isProbe) => callInTime(endpoint, query, timeoutMs, isProbe))
    } catch (error) {
      if (error instanceof FilterFailure) {
        const { requestId } = requestContext.getStore() ?? {}
        log.warn({ reason: error.message, requestId: requestId?.text }, 'the filtering service gave no usable answer')
      }
      throw unavailable('downstream_unavailable', error)
    }
  }
  return {
    address: { url, timeoutMs },
    choose,
    /** Whatever the state of the circuit: without calls it stays open. */
    isReachable: () => endpoint.isReachable(AbortSignal.timeout(Math.min(timeoutMs, reachableMs))),
    circuit: () => circuitNames[breaker.state],
    close: () => endpoint.close(),
  }
}

const circuitNames = {
  [CircuitState.Closed]: 'closed',
  [CircuitState.HalfOpen]: 'half-open',
  [CircuitState.Open]: 'open',
  [CircuitState.Isolated]: 'open',
} as const

/** Calls fail at once while another one probes; the policy itself would let them wait for it. */
function throughCircuit<T>(breaker: CircuitBreakerPolicy, call: (isProbe: boolean) => Promise<T>): Promise<T> {
  if (breaker.state === CircuitState.HalfOpen) throw new BrokenCircuitError()
  return breaker.execute(() => call(breaker.state !== CircuitState.Closed))
}

/** Retries a call with a transient failure while time is left; a probe is not retried. */
async function callInTime(
  endpoint: FilterEndpoint,
  query: Parameters<FilterService>,
  timeoutMs: number,
  isProbe: boolean,
) {
  const lastTry = Date.now() + timeoutMs - retryNeedsMs
  const deadline = AbortSignal.timeout(timeoutMs)
  const again = handleWhen(
    (error) => error instanceof FilterFailure && error.kind === 'transient' && Date.now() < lastTry,
  )
  const backoff = new ExponentialBackoff({ initialDelay: 50, maxDelay: retryNeedsMs / 2 })
  const policy = retry(again, { maxAttempts: isProbe ? 0 : 2, backoff })
  return policy.execute(() => endpoint.call(query, forwarded(), deadline))
}

function forwarded() {
  const { requestId, trace, traceparent: received } = requestContext.getStore() ?? {}
  const traceparent = trace?.traceparent() ?? received
  return { ...(requestId && { 'x-request-id': requestId.header }), ...(traceparent && { traceparent }) }
}
