/** PostgreSQL's own words for "not now" (errcodes appendix): connection, resources, operator intervention, locks, retries. */
const states = /^(08|53|57P|57014|55P03|40001|40P01|25P03|25006)/
const socketErrors = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])
/** What `pg`, and Kysely when the process stops, throw without any code. */
const messages =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed|driver has already been destroyed)/

/** Whether the error says that PostgreSQL cannot hold or answer so much (errcodes appendix: Program Limit Exceeded): the request is too large, nothing else is wrong. */
export function isBeyondLimits(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('54')
}

/** Whether the error says that the database cannot be reached or cannot answer now, rather than that the query is wrong. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return states.test(code) || socketErrors.has(code) || messages.test(error.message)
}
