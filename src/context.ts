import type { Caller } from './auth/caller.ts'
import type { Enumerations } from './catalog/enumerations.ts'
import type { Filter } from './catalog/filtered-groups.ts'
import type { View } from './catalog/viewer.ts'
import { createLoaders, type Loaders } from './loaders.ts'

/** What a resolver has at hand: one per request. */
export interface Context {
  readonly db: View
  /** Whoever asks. */
  readonly caller: Caller
  /** The enumerations in force when the request began. */
  readonly enumerations: Enumerations
  /** The remote filter of the listing; undefined when the gateway filters by itself. */
  readonly filter: Filter | undefined
  readonly loaders: Loaders
  /** Tells whoever runs jobs that there is one more. */
  jobQueued(): void
  /** The id of the request, as it is echoed and logged. */
  readonly requestId: string
}

export function createContext(request: Omit<Context, 'loaders'>): Context {
  let loaders: Loaders | undefined
  return {
    ...request,
    // Most requests of the façade need none.
    get loaders() {
      loaders ??= createLoaders(request.db, request.filter)
      return loaders
    },
  }
}
