/** The size of a request. */
export interface Weight {
  bytes: number
  /** The members of all lists and objects in the body, counted only where the bytes do not decide. */
  members(): number
  /** The cost of a GraphQL operation; 0 for a REST request. */
  cost: number
}

export interface RouteLimits {
  /** A body of up to this many bytes is small, whatever its members. */
  bytes: number
  /** A body of up to twice the bytes is small if it has at most this many members: about a thousand products. */
  members: number
  cost: number
  /** Points of series that a request makes, or assets in the groups that a field changes. */
  rows: number
}

/** A request within these limits blocks the main thread for at most about 20 ms. */
export const routeLimits: RouteLimits = { bytes: 64 * 1024, members: 5_000, cost: 5_000, rows: 5_000 }

/** Chooses the main thread or the pool for a request, before anything runs. */
export function chooseRoute({ bytes, members, cost }: Weight, limits = routeLimits): 'here' | 'pool' {
  if (cost > limits.cost || bytes > 2 * limits.bytes) return 'pool'
  return bytes <= limits.bytes || members() <= limits.members ? 'here' : 'pool'
}
