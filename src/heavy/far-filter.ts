import type { Filter, FilteredPage } from '../catalog/filtered-groups.ts'
import { unavailable } from '../errors.ts'

/** The remote filter as the thread has it: the questions go to the other side, which holds its circuit. */
export function farFilter(ask: (call: number, question: Parameters<Filter>) => void): {
  filter: Filter
  /** Takes the answer to a call; without a page the filter was unavailable. */
  answered(call: number, page: FilteredPage | undefined): void
} {
  const calls = new Map<number, (page: FilteredPage | undefined) => void>()
  let latest = 0
  return {
    filter: async (...question) => {
      const call = ++latest
      const page = await new Promise<FilteredPage | undefined>((resolve) => {
        calls.set(call, resolve)
        ask(call, question)
      })
      if (!page) throw unavailable('downstream_unavailable', undefined)
      return page
    },
    answered: (call, page) => {
      calls.get(call)?.(page)
      calls.delete(call)
    },
  }
}
