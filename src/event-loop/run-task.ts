import type { MessagePort } from 'node:worker_threads'
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { type RequestContext, requestContext } from '../request/context.ts'
import { ReadBytes } from '../request/read-bytes.ts'

/** A task for a pool thread, as plain data. */
export interface Task<Input = unknown> {
  input: Input
  context: Pick<RequestContext, 'requestId' | 'traceparent' | 'tenant' | 'tokenId'>
  /** Sends a message when the task starts in its thread or reports progress; receives one that cancels the task. */
  cancellation: MessagePort
}

type ThreadContext = RequestContext & Required<Pick<RequestContext, 'reportProgress'>>

/** The result of a task, and the part of its memory that is moved to the other thread instead of copied. */
export interface TaskResult<Output> {
  output: Output
  moved?: ArrayBuffer[]
}

/**
 * Runs a task in this thread within the context of its request; `reportProgress` restarts the deadline. Without a task
 * only the thread starts.
 */
export async function runTask<Input, Output>(
  task: Task<Input> | undefined,
  work: (input: Input, context: ThreadContext) => Promise<TaskResult<Output>>,
): Promise<unknown> {
  if (!task) return undefined
  const { input, context: given, cancellation } = task
  const cancelled = new AbortController()
  cancellation.once('message', () => cancelled.abort())
  const reportProgress = () => cancellation.postMessage('progress')
  reportProgress()
  const context = { ...given, trace: undefined, signal: cancelled.signal, readBytes: new ReadBytes(), reportProgress }
  try {
    const { output, moved = [] } = await requestContext.run(context, work, input, context)
    return move({ [transferableSymbol]: moved, [valueSymbol]: { output } })
  } finally {
    cancellation.close()
  }
}
