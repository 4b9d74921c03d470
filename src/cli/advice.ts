/** An error as a sentence, followed by what to do about it where that is known. */
export function adviceOn(error: unknown): string {
  const { code, message } = detailsOf(error)
  const step = steps[code]
  return step ? `${message.replace(/\.$/, '')}. ${step}` : message
}

const reach = 'Start the database, or correct DATABASE_URL; without DATABASE_URL the embedded database is used.'

/** By the codes of Node and of PostgreSQL. */
const steps: Record<string, string> = {
  ECONNREFUSED: reach,
  ECONNRESET: reach,
  ENOTFOUND: reach,
  EAI_AGAIN: reach,
  ETIMEDOUT: reach,
  EHOSTUNREACH: reach,
  '28P01': 'Correct the user and the password in DATABASE_URL.',
  '28000': 'Correct the user and the password in DATABASE_URL, or let the server admit them.',
  '3D000': 'Create the database, or correct DATABASE_URL.',
  '42P01': 'Run "catalog migrate" first.',
  '42703': 'Run "catalog migrate" first.',
  '42501': 'Give the user of DATABASE_URL the right to do this.',
  EADDRINUSE: 'Stop the program that listens there, or set PORT to another port; PORT=0 picks a free one.',
  EADDRNOTAVAIL: 'Set HOST to an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all of them.',
  EACCES: 'Choose a port from 1024 on, or a file that may be written.',
  ENOENT: 'Check the path.',
  ENOSPC: 'Free space on the disk.',
  EPIPE: 'The reader closed the pipe before the end.',
}

/** An attempt at several addresses fails with one error for each and no message of its own. */
function detailsOf(error: unknown): { code: string; message: string } {
  const [first] = error instanceof AggregateError ? error.errors : [error]
  if (!(first instanceof Error)) return { code: '', message: String(first) }
  const { code = '' } = first as { code?: string }
  const isAway = steps[code] === reach
  return { code, message: isAway ? `the database cannot be reached: ${first.message}` : first.message }
}
