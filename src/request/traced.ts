import type { Part } from '../tracing/trace.ts'
import { requestContext } from './context.ts'

/** Runs a part of the request in a span of its trace, if it has one. */
export function traced<T>(part: Part, name: string, work: () => Promise<T>): Promise<T> {
  const trace = requestContext.getStore()?.trace
  if (!trace) return work()
  const end = trace.begin(part, name)
  return work().then(
    (result) => {
      end()
      return result
    },
    (error: unknown) => {
      end({ error })
      throw error
    },
  )
}
