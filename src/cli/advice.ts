import { CatalogueError, type Reason } from '../errors.ts'

/** An error as a sentence, followed by what to do about it where that is known. */
export function adviceOn(error: unknown): string {
  // An attempt at several addresses fails with one error for each and no message of its own.
  const [first] = error instanceof AggregateError ? error.errors : [error]
  if (!(first instanceof Error)) return String(first)
  const { code = '', message } = first as Error & { code?: string }
  const sentence = message.replace(/\.$/, '')
  if (unreachable.test(code)) return `the database cannot be reached: ${sentence}. ${reach}`
  const step = steps[code]
  return step ? `${sentence}. ${step}` : message
}

/** Where what the command line names is found, or which setting permits it. */
export function hintAt(error: Error): string {
  if (!(error instanceof CatalogueError)) return ''
  if (error.setting === 'OUTGOING_ALLOW') return hosts
  return lists[error.code] ?? ''
}

const hosts = '; set OUTGOING_ALLOW for this command and for the gateway'

const lists: Partial<Record<Reason, string>> = {
  store_not_found: '; "catalog store list" shows the stores',
  request_not_found: '; "catalog changes" shows the requests',
  webhook_not_found: '; "catalog webhook list" shows the webhooks',
}

const unreachable = /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH)$/
const reach = 'Start the database, or correct DATABASE_URL; without DATABASE_URL the embedded database is used.'

/** By the codes of Node and of PostgreSQL. */
const steps: Record<string, string> = {
  '28P01': 'Correct the user and the password in DATABASE_URL.',
  '28000': 'Correct the user and the password in DATABASE_URL, or let the server admit them.',
  '3D000': 'Create the database, or correct DATABASE_URL.',
  '42P01': 'Run "catalog migrate" first.',
  '42703': 'Run "catalog migrate" first.',
  '42501': 'Give the user of DATABASE_URL the right to do this.',
  EADDRINUSE: 'Stop the program that listens there, or set PORT to another port, or --port; 0 picks a free one.',
  EADDRNOTAVAIL: 'Set HOST to an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all of them.',
  EACCES: 'Choose a port from 1024 on, or a file that may be written.',
  ENOENT: 'Check the path.',
  ENOSPC: 'Free space on the disk.',
  EPIPE: 'The reader closed the pipe before the end.',
}
