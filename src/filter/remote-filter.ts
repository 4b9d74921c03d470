import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleAll,
  handleWhen,
  retry,
} from 'cockatiel'
import type { Logger } from 'pino'
import type { Filter } from '../catalog/filtered-groups.ts'
import { unavailable } from '../errors.ts'
import { requestScope } from '../request-scope.ts'
import { type FilterEndpoint, FilterFailure, openFilterEndpoint } from './filter-call.ts'

export interface RemoteFilter {
  /** Throws `downstream_unavailable` within the deadline, at once while the circuit is open. */
  filter: Filter
  /** Whether the service can be reached now, whatever the circuit says: it must be possible to recover while nobody asks. */
  isReachable(): Promise<boolean>
  /** For the metrics: whether calls go out. `half-open`: one call probes. */
  circuit(): 'closed' | 'half-open' | 'open'
  close(): Promise<void>
}

export interface RemoteFilterOptions {
  url: string
  /** The deadline of a call in ms, with all that is tried again. */
  timeoutMs: number
  /** How long the circuit stays open before a call probes, in ms. */
  probeAfterMs?: number
  log: Logger
}

const failuresToOpen = 5
const reachableMs = 1_000
/** What another try must at least have left of the deadline, in ms. */
const worthTrying = 200

/** The filtering service at a URL (decisions: Filtering service), behind one deadline for each call and a circuit breaker. */
export function createRemoteFilter({ url, timeoutMs, probeAfterMs = 10_000, log }: RemoteFilterOptions): RemoteFilter {
  const endpoint = openFilterEndpoint(url)
  const breaker = circuitBreaker(handleAll, {
    halfOpenAfter: probeAfterMs,
    breaker: new ConsecutiveBreaker(failuresToOpen),
  })
  breaker.onBreak(() => log.error({ circuit: 'open' }, 'the filtering service failed repeatedly: it is left in peace'))
  breaker.onHalfOpen(() => log.info({ circuit: 'half-open' }, 'one call probes the filtering service'))
  breaker.onReset(() => log.info({ circuit: 'closed' }, 'the filtering service answers again'))
  return {
    filter: async (...question) => {
      try {
        return await throughCircuit(breaker, (isProbe) => askInTime(endpoint, question, timeoutMs, isProbe))
      } catch (error) {
        if (error instanceof FilterFailure) {
          const { requestId } = requestScope.getStore() ?? {}
          log.warn(
            { reason: error.message, requestId: requestId?.text },
            'the filtering service did not answer as agreed',
          )
        }
        throw unavailable('downstream_unavailable', error)
      }
    },
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

/** Calls that come while another one probes fail at once: the policy itself would let them wait for its outcome. */
function throughCircuit<T>(breaker: CircuitBreakerPolicy, call: (isProbe: boolean) => Promise<T>): Promise<T> {
  if (breaker.state === CircuitState.HalfOpen) throw new BrokenCircuitError()
  return breaker.execute(() => call(breaker.state !== CircuitState.Closed))
}

/** Asks again where that may help and time is left; a probe has one try. */
async function askInTime(endpoint: FilterEndpoint, question: Parameters<Filter>, timeoutMs: number, isProbe: boolean) {
  const lastTry = Date.now() + timeoutMs - worthTrying
  const deadline = AbortSignal.timeout(timeoutMs)
  const again = handleWhen((error) => error instanceof FilterFailure && error.mayPass && Date.now() < lastTry)
  const backoff = new ExponentialBackoff({ initialDelay: 50, maxDelay: worthTrying / 2 })
  const policy = retry(again, { maxAttempts: isProbe ? 0 : 2, backoff })
  return policy.execute(() => endpoint.ask(question, forwarded(), deadline))
}

/** What tells the service whose request this is. */
function forwarded(): Record<string, string> {
  const { requestId, trace, traceparent: came } = requestScope.getStore() ?? {}
  const traceparent = trace?.traceparent() ?? came
  return { ...(requestId && { 'x-request-id': requestId.header }), ...(traceparent && { traceparent }) }
}
