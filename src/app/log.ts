import { destination, type Logger, pino } from 'pino'

/** Characters that JSON does not escape, and that move the cursor or change the direction of text in a terminal. */
const controls = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** The service's log: JSON lines on stderr, so that stdout carries answers only. */
export function createLog(level: string): Logger {
  const options = {
    level,
    base: null,
    serializers: { requestId: (id: string) => id.slice(0, 64).toWellFormed() },
    hooks: { streamWrite: (line: string) => line.replace(controls, escaped) },
  }
  return pino(options, destination({ dest: 2, sync: true }))
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
