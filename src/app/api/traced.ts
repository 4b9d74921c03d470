import { requestContext } from '../../request/context.ts'
import type { Part } from '../../tracing/trace.ts'

/** Runs a part of the request in a span of its trace, if it has one. */
export async function traced<T>(part: Part, name: string, work: () => Promise<T>): Promise<T> {
  const end = requestContext.getStore()?.trace?.begin(part, name)
  try {
    const result = await work()
    end?.()
    return result
  } catch (error) {
    end?.({ error })
    throw error
  }
}
