import { AsyncLocalStorage } from 'node:async_hooks'
import type { Trace } from '../tracing/trace.ts'
import { ReadBytes, type Reserve } from './read-bytes.ts'
import type { RequestId } from './request-id.ts'

/** The request that is being served. Nothing in it changes; `withContext` runs work in a copy with other values. */
export interface RequestContext {
  readonly requestId: RequestId
  readonly traceparent: string | undefined
  readonly trace: Trace | undefined
  /** Aborted when the client leaves before its answer is sent. */
  readonly signal: AbortSignal
  /** Connections, threads and memory are shared among tenants; '' is the gateway's own work. */
  readonly tenant: string
  /** The caller's token, which shares the tenant's part with the tenant's other tokens. */
  readonly tokenId: string
  readonly readBytes: ReadBytes
  /** Counts memory of the request. Only on the main thread. */
  readonly reserve?: Reserve
  /** Whether statements wait for a core of the database. */
  readonly needsCore?: boolean
  /** Restarts the deadline of the work; only in a thread of a pool. */
  readonly reportProgress?: () => void
}

/** The context of the current request; none in jobs and at start. */
export const requestContext = new AsyncLocalStorage<RequestContext>()

/** What the current request has read; without a request there is no limit. */
export function currentReadBytes(): ReadBytes {
  return requestContext.getStore()?.readBytes ?? new ReadBytes(Number.MAX_SAFE_INTEGER)
}

/** Counts memory of the current request. Throws as `Reserve` does. */
export const reserve: Reserve = (bytes, isRequired) => requestContext.getStore()?.reserve?.(bytes, isRequired)

export function withContext<T>(changes: Partial<RequestContext>, work: () => T): T {
  const context = requestContext.getStore()
  return context ? requestContext.run({ ...context, ...changes }, work) : work()
}

/** Runs a step of a long read, of whose rows little is kept: they do not count as those of the request. */
export function readStep<T>(step: () => T): T {
  return withContext({ readBytes: currentReadBytes().ofStep() }, step)
}

/** The same parts, each of which is made in the present context. */
export function inContext<T>(parts: AsyncIterable<T>): AsyncIterable<T> {
  const run = AsyncLocalStorage.snapshot()
  const iterator = parts[Symbol.asyncIterator]()
  const end = async () => run(() => iterator.return?.()) ?? { done: true as const, value: undefined }
  return { [Symbol.asyncIterator]: () => ({ next: () => run(() => iterator.next()), return: end }) }
}

/**
 * Runs reads that may take a core of the database for long: each statement of them waits for one. `needsCore` is
 * false for short ones among them.
 */
export function withCore<T>(reads: () => T, needsCore = true): T {
  return needsCore === (requestContext.getStore()?.needsCore ?? false) ? reads() : withContext({ needsCore }, reads)
}
