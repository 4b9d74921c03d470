import { AsyncLocalStorage } from 'node:async_hooks'
import type { Trace } from './tracing/trace.ts'

/** What belongs to the request that is being served, wherever in the process its work has got to. */
export interface RequestScope {
  /** The request's id: as text, and as the header value that carries the same bytes. */
  readonly requestId: { readonly text: string; readonly header: string }
  /** The caller's W3C trace context, passed on as it came. */
  readonly traceparent: string | undefined
  /** Calls back when the client has gone before its answer was sent; returns how to stop listening. */
  readonly onGone: (gone: () => void) => () => void
  /** Whether the client has gone. */
  readonly isGone: () => boolean
  /** Which door it came through. */
  door?: 'rest' | 'graphql'
  /** What it asks for, from a bounded set: the operation of an endpoint, or the first root field of a document that is valid. */
  operation?: string
  /** Whether it is to change something. */
  isWrite?: boolean
  /** Whether it is one operation of the catalogue, which can begin again where it has written nothing. */
  isAlone?: boolean
  /** Whether it turned out to cost more than may be spent on the thread that serves it. */
  isCostly?: boolean
  /** How many characters of JSON a read may still work on before it is answered elsewhere; undefined: there is nowhere else. */
  allowance?: number | undefined
  /** Which token the caller has: turns and memory are shared out among tokens. */
  tokenId?: string
  /** The token's name, which others may have too. */
  tokenName?: string
  /** Gives back the turn at the database that it holds, and has not used yet. */
  turn?: (() => void) | undefined
  /** Headers of its answer, whatever that will be. */
  headers?: Record<string, string>
  /** Its spans, while requests are traced. */
  trace?: Trace | undefined
}

/** A request that has its answer. */
export interface ServedRequest {
  scope: RequestScope
  status: number
  durationMs: number
}

/** Runs what it is given, and all that follows from it, in the scope of a request. */
export const requestScope = new AsyncLocalStorage<RequestScope>()
