import { destination, type Logger, pino } from 'pino'

/** The service's log: JSON lines on stderr, so that stdout carries answers only. */
export function createLog(level: string): Logger {
  return pino({ level, base: null }, destination({ dest: 2, sync: true }))
}
