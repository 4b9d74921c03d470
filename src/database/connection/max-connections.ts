/** How many connections each part of a process opens at most, besides those for requests: `DATABASE_POOL_SIZE`. */
export const maxConnections = {
  /** A thread for large requests. */
  poolThread: 5,
  /** A thread that runs a job: its progress, input and output. Its rows use one more. */
  jobThread: 2,
  queue: 1,
  follower: 3,
  /** Deliveries to webhooks. */
  deliverer: 2,
  /** The position of the primary, and that of each replica. */
  watch: 1,
  /** Old days of the ledger are dropped. */
  maintenance: 1,
}
