import type { MessagePort } from 'node:worker_threads'
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { type RequestContext, requestContext } from '../request/context.ts'
import { ReadLimit } from '../request/read-limit.ts'

/** Work for a thread of the pool, as plain data. */
export interface Task<Input = unknown> {
  input: Input
  context: Pick<RequestContext, 'requestId' | 'traceparent' | 'tokenId'>
  /** Sends a message when the task starts in its thread, or moves on; receives one when it is to be cancelled. */
  cancellation: MessagePort
}

type ThreadContext = Required<RequestContext>

/** The result of a task's work, and the memory of it that is moved to the other thread, not copied. */
export interface Work<Output> {
  output: Output
  moved: ArrayBuffer[]
}

/**
 * Runs a task in this thread within the context of its request, whose `reportProgress` restarts the task's deadline. Without a
 * task the thread has only been started.
 */
export async function runTask<Input, Output>(
  task: Task<Input> | undefined,
  work: (input: Input, context: ThreadContext) => Promise<Work<Output>>,
): Promise<unknown> {
  if (!task) return undefined
  const { input, context: given, cancellation } = task
  const cancelled = new AbortController()
  cancellation.once('message', () => cancelled.abort())
  const reportProgress = () => cancellation.postMessage('moves on')
  reportProgress()
  const context = { ...given, trace: undefined, signal: cancelled.signal, readLimit: new ReadLimit(), reportProgress }
  try {
    const { output, moved } = await requestContext.run(context, work, input, context)
    return move({ [transferableSymbol]: moved, [valueSymbol]: { output } })
  } finally {
    cancellation.close()
  }
}
