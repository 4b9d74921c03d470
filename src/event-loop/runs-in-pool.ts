/** What a request asks for. */
export interface Load {
  /** The bytes of the body. */
  bytes: number
  /** The members of all lists and objects in the body, counted only where the bytes do not decide. */
  members(): number
  /** The cost of a GraphQL operation. */
  cost: number
  /** It reads, and a read of its kind and tenant was large in the last minute. */
  isLargeRead: boolean
}

export interface MainThreadLimits {
  /** A body of up to this many bytes is small, whatever its members. */
  bytes: number
  /** A body of up to twice the bytes is small if it has at most this many members: about a thousand products. */
  members: number
  cost: number
  /** A read of more bytes from the database is large: those of its kind that follow run in the pool. */
  readBytes: number
}

/** A request within these limits blocks the main thread for at most about 20 ms. */
export const mainThreadLimits: MainThreadLimits = {
  bytes: 64 * 1024,
  members: 5_000,
  cost: 5_000,
  readBytes: 1024 * 1024,
}

/** Whether a request runs in the pool. That is decided before anything runs: it ends where it began. */
export function runsInPool({ bytes, members, cost, isLargeRead }: Load, limits = mainThreadLimits): boolean {
  if (isLargeRead || cost > limits.cost || bytes > 2 * limits.bytes) return true
  return bytes > limits.bytes && members() > limits.members
}
