import type { WriteStream } from 'node:tty'
import type { Counts } from '../../import/position.ts'
import { showProgress } from '../output.ts'

const rowsPerLine = 100_000

interface ProgressOptions {
  fromRow?: number
  read?: () => number
  unit?: string
}

/**
 * Shows the imported rows, the speed and the time left: on a terminal in a line that is replaced, else in a line every
 * 100,000 rows. `read` returns the part of the file that has been read, from 0 to 1; 0 if it is not known.
 */
export function startProgress(
  stream: WriteStream,
  { fromRow = 0, read = () => 0, unit = 'rows' }: ProgressOptions = {},
) {
  const begun = performance.now()
  let shown = fromRow - (fromRow % rowsPerLine)
  /** What a resumed run passes over, up to its first rows, takes much less time than rows do. */
  let from = fromRow > 0 ? undefined : { part: 0, seconds: 0 }
  const lineOf = (rows: number) => {
    const seconds = Math.max((performance.now() - begun) / 1000, 0.001)
    const part = read()
    from ??= { part, seconds }
    const speed = (part - from.part) / (seconds - from.seconds)
    const left = speed > 0 ? `, about ${duration((1 - part) / speed)} left` : ''
    const done = part > 0 ? `, ${Math.floor(part * 100)}%${left}` : ''
    return `${rows} ${unit}, ${Math.round((rows - fromRow) / seconds)} ${unit}/s${done}`
  }
  return {
    update: ({ rows }: Pick<Counts, 'rows'>) => {
      if (stream.isTTY) showProgress(lineOf(rows), stream)
      else if (rows - shown >= rowsPerLine) stream.write(`${lineOf(rows)}\n`)
      shown = Math.max(shown, rows - (rows % rowsPerLine))
    },
    stop: () => showProgress('', stream),
  }
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  const minutes = Math.floor(whole / 60)
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
