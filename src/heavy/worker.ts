import { move, transferableSymbol, valueSymbol } from 'piscina'
import { requestContext } from '../request/context.ts'
import { ReadLimit } from '../request/read-limit.ts'
import type { Trace } from '../tracing/trace.ts'
import type { FinishedStatement, Task, TaskResult } from './protocol.ts'

/** The result of a task's work, and the memory of it that is moved to the other thread, not copied. */
export interface Work<Output> {
  output: Output
  moved: ArrayBuffer[]
}

/** Runs a task in this thread within the context of its request. */
export async function runTask<Input, Output>(
  { input, context, cancellation }: Task<Input>,
  work: (input: Input, requestId: string) => Promise<Work<Output>>,
): Promise<unknown> {
  const { requestId, traceparent, tokenId, isTraced } = context
  const cancelled = new AbortController()
  const statements: FinishedStatement[] = []
  const trace = isTraced ? recordingTo(statements, traceparent) : undefined
  const { signal } = cancelled
  cancellation.once('message', () => cancelled.abort())
  cancellation.postMessage('started')
  try {
    const { output, moved } = await requestContext.run(
      { requestId, traceparent, tokenId, trace, signal, readLimit: new ReadLimit() },
      work,
      input,
      requestId.text,
    )
    const result: TaskResult<Output> = { output, statements }
    return move({ [transferableSymbol]: moved, [valueSymbol]: result })
  } finally {
    cancellation.close()
  }
}

/** A trace that keeps the statements: the spans are made by the thread that serves the request. */
function recordingTo(statements: FinishedStatement[], traceparent: string | undefined): Trace {
  return {
    begin: () => () => {},
    statement: ({ error, ...statement }) => {
      statements.push({ ...statement, endedAt: Date.now(), failed: error !== undefined })
    },
    traceparent: () => traceparent ?? '',
    end: () => {},
  }
}
