/** The codes of PostgreSQL for temporary errors: connection, resources, operator intervention, locks, retries. */
const states = /^(08|53|57P|57014|55P03|40001|40P01|25P03|25P04|25006)/
const socketErrors =
  /^(ECONNREFUSED|ECONNRESET|EAGAIN|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/
/** Errors of `pg`, and of Kysely while the process stops, that have no code. */
const messages =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed|driver has already been destroyed)/

/** How Citus, or the libpq in it, reports a lost connection between its servers (13.2). */
const lostServer = [
  'connection not open',
  'could not commit transaction',
  'could not receive data',
  'could not send data',
  'execution cannot recover from multiple connection failures',
  'failed to COPY to shard',
  'failed to complete COPY',
  'failed to execute task',
  'failed to prepare transaction',
  'failed to read result',
  'failure on connection marked as essential',
  'no connection to the server',
  'server closed the connection',
  'terminating connection',
]
/** The codes of these: an internal error, and one of input or output. */
const codesOfLostServer = ['XX000', '58030']
/** What Citus reports if a rebalancer has moved the rows of a store meanwhile. */
const movedShard = /^(could not find valid entry for shard|shard for the given value does not exist)/

/** Whether PostgreSQL refused a request because of its size (errcodes appendix: Program Limit Exceeded). */
export function isBeyondLimits(error: unknown): boolean {
  return codeOf(error).startsWith('54')
}

/** Whether PostgreSQL could not extend a file: a full disk has its own code, a quota only a message. */
export function isWithoutRoom(error: unknown): boolean {
  return (
    codeOf(error) === '53100' || (error instanceof Error && /^could not (extend|write to) file/.test(error.message))
  )
}

/** Whether the database could not be reached, rather than lacks something. */
export function isUnreachable(error: unknown): boolean {
  return isUnavailable(error) && shortageOf(error) === undefined
}

const locked = 'other requests have locked what this one changes'

const shortages: Record<string, string> = {
  '40001': 'other requests have changed what this one reads',
  '40P01': locked,
  '53200': 'the database has no memory left',
  '53300': 'too many requests wait',
  '55P03': locked,
  '57014': 'the database has not finished in time',
}

/** What the database lacks, such as room or time, for clients; undefined if nothing, or if it cannot be reached. */
export function shortageOf(error: unknown): string | undefined {
  if (isWithoutRoom(error)) return 'the database has no room on its disk'
  return shortages[codeOf(error)]
}

/** Whether the database cannot be reached or cannot answer now. Otherwise, the statement is wrong. */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error)
  if (isWithoutRoom(error) || states.test(code) || socketErrors.test(code) || isServerFault(error)) return true
  if (!(error instanceof Error)) return false
  return messages.test(error.message) || isOfLostServer(error)
}

function isOfLostServer(error: Error): boolean {
  return codesOfLostServer.includes(codeOf(error)) && lostServer.some((start) => error.message.startsWith(start))
}

/** Whether Citus has moved the rows meanwhile: nothing was done, and a repetition finds them. */
export function isMovedShard(error: unknown): boolean {
  return error instanceof Error && movedShard.test(error.message)
}

/** Whether an internal fault of the server, such as a full disk, closed or refused the connection. */
function isServerFault(error: unknown): boolean {
  const isFatal = error instanceof Error && 'severity' in error && /^(FATAL|PANIC)$/.test(String(error.severity))
  return isFatal && /^(58|XX)/.test(codeOf(error))
}

/** PostgreSQL's code of an error, or the system's; empty if it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
