import { pino } from 'pino'

export interface LogLine {
  level: number
  msg: string
  [name: string]: unknown
}

/** A log, and its lines from a level on. */
export function keptLog(level = 'warn') {
  const lines: LogLine[] = []
  return { lines, log: pino({ level }, { write: (line) => void lines.push(JSON.parse(line)) }) }
}
