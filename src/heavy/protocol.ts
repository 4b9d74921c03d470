import type { MessagePort } from 'node:worker_threads'
import type { RequestContext } from '../request/context.ts'
import type { Statement } from '../tracing/trace.ts'

/** Work for a thread of the pool, as plain data. The entry of the threads knows which kinds there are. */
export interface Task<Input = unknown> {
  kind: string
  input: Input
  context: TaskContext
  /** Sends a message when the task starts in its thread, and receives one when it is to be cancelled. */
  cancellation: MessagePort
}

/** The part of a request's context that is plain data. */
export interface TaskContext extends Pick<RequestContext, 'requestId' | 'traceparent' | 'tokenId'> {
  isTraced: boolean
}

export interface TaskResult<Output = unknown> {
  output: Output
  /** The statements of the task, if its request is traced. */
  statements: FinishedStatement[]
}

/** Errors cannot be cloned as they are: only whether there was one. */
export type FinishedStatement = Omit<Statement, 'error'> & { failed: boolean }
