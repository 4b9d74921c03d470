export interface Weight {
  bytes: number
  /** The members of all lists and objects of its body, at most; asked for only where the bytes do not decide. */
  members(): number
  /** What a GraphQL operation may cost; 0 for a REST request. */
  cost: number
}

export interface RouteLimits {
  /** A body of so many bytes is small, whatever its members. */
  bytes: number
  /** A body of up to twice the bytes is small if it has at most so many members: about a thousand products. */
  members: number
  cost: number
}

/** The thread that serves all requests is not blocked for more than about 20 ms by a request within these. */
export const routeLimits: RouteLimits = { bytes: 64 * 1024, members: 5_000, cost: 5_000 }

/** Decides once, before anything runs, whether a request is answered on the thread that serves all or in another. */
export function routeOf({ bytes, members, cost }: Weight, limits = routeLimits): 'here' | 'thread' {
  if (cost > limits.cost || bytes > 2 * limits.bytes) return 'thread'
  return bytes <= limits.bytes || members() <= limits.members ? 'here' : 'thread'
}
