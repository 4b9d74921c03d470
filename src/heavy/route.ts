export interface Weight {
  bytes: number
  /** The members of all lists and objects of its body, at most; asked for only where nothing else decides. */
  members(): number
  /** What a GraphQL operation may cost, all its fields together; 0 for a REST request. */
  cost: number
  /** What the patterns of attributes may take: steps times characters. */
  patternWork: number
}

export type RouteLimits = Record<keyof Weight, number>

/** The thread that serves all requests is not blocked for more than about 20 ms by a request within these. */
export const routeLimits: RouteLimits = { bytes: 128 * 1024, members: 5_000, cost: 5_000, patternWork: 50_000 }

/** Decides, before anything runs, whether a request is answered on the thread that serves all or in another. */
export function routeOf({ bytes, members, cost, patternWork }: Weight, limits = routeLimits): 'here' | 'thread' {
  if (cost > limits.cost || bytes > limits.bytes || patternWork > limits.patternWork) return 'thread'
  return members() > limits.members ? 'thread' : 'here'
}
