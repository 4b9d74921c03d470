import { DatabaseError } from 'pg'

/** An error for the log, without the messages of PostgreSQL: they quote values. */
export function loggableError(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error
  const { code, severity, table, column, constraint, routine, stack = '' } = error
  const frames = stack.split('\n').filter((line) => /^ +at /.test(line))
  return { type: 'DatabaseError', code, severity, table, column, constraint, routine, stack: frames.join('\n') }
}
