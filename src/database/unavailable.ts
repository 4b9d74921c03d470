/** PostgreSQL's codes for "not now": connection, resources, operator intervention, locks, retries. */
const states = /^(08|53|57P|57014|55P03|40001|40P01|25P03|25006)/
const socketErrors = /^(ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/
/** Errors of `pg`, and of Kysely while the process stops, that have no code. */
const messages =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed|driver has already been destroyed)/

/** Whether PostgreSQL refused a request because of its size (errcodes appendix: Program Limit Exceeded). */
export function isBeyondLimits(error: unknown): boolean {
  return codeOf(error).startsWith('54')
}

/** Whether the database cannot be reached or cannot answer now; otherwise the query is wrong. */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error)
  return states.test(code) || socketErrors.test(code) || (error instanceof Error && messages.test(error.message))
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
