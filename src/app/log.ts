import { destination, type Logger, pino } from 'pino'
import { unicodeEscape } from '../text.ts'

/** Characters that JSON does not escape, and that move the cursor or change the direction of text in a terminal. */
const controls = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** The log of the service on stderr: JSON lines, or readable lines on a terminal. */
export function createLog(level: string): Logger {
  const options = {
    level,
    base: null,
    serializers: { requestId: (id: string) => id.slice(0, 64).toWellFormed() },
    hooks: {
      streamWrite: (line: string) => (process.stderr.isTTY ? readable(line) : line).replace(controls, unicodeEscape),
    },
  }
  return pino(options, destination({ dest: 2, sync: true }))
}

/** `12:40:01.123 INFO  stopping signal="SIGTERM"`. Values are JSON: none of them ends the line. */
export function readable(line: string): string {
  const { level, time, msg = '', ...fields } = JSON.parse(line) as Record<string, unknown>
  const label = pino.levels.labels[Number(level)]?.toUpperCase().padEnd(5)
  const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`)
  const clock = new Date(Number(time)).toISOString().slice(11, 23)
  return `${clock} ${label} ${JSON.stringify(msg).slice(1, -1)}${pairs.join('')}\n`
}
