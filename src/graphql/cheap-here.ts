import { unavailable } from '../errors.ts'
import { requestScope } from '../request-scope.ts'
import type { Guard } from './guard.ts'

/**
 * The guard, which also stops what would cost more than may be spent on this thread, before anything of it is run, and notes in the request's scope that it
 * did so: such an operation is not refused, but run elsewhere.
 */
export function cheapHere(guard: Guard, mostCost = Number.POSITIVE_INFINITY): Guard {
  return {
    ...guard,
    cost: (...operation) => {
      const cost = guard.cost(...operation)
      const scope = requestScope.getStore()
      if (cost.requested <= mostCost || !scope) return cost
      scope.isCostly = true
      throw unavailable('unavailable', undefined)
    },
  }
}
