import { DatabaseError } from 'pg'

/**
 * An error as the log may have it. What PostgreSQL says of a failure quotes the values that it was about: of its words only those stay that name things of
 * ours, and where it happened.
 */
export function loggableError(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error
  const { code, severity, table, column, constraint, routine, stack = '' } = error
  const frames = stack.split('\n').filter((line) => /^ +at /.test(line))
  return { type: 'DatabaseError', code, severity, table, column, constraint, routine, stack: frames.join('\n') }
}
