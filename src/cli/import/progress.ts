import type { WriteStream } from 'node:tty'
import { SingleBar } from 'cli-progress'
import type { Counts } from '../../import/report/counts.ts'
import type { InputFile } from './input-file.ts'

export interface Progress {
  update(counts: Counts): void
  stop(): void
}

const rowsPerLine = 100_000

/** Shows the progress of an import, its speed and the time left: a bar on a terminal, else a line for every 100,000 rows. */
export function startProgress(
  stream: WriteStream,
  { size, bytesRead }: Pick<InputFile, 'size' | 'bytesRead'>,
  fromRow: number,
): Progress {
  const begun = performance.now()
  const paceOf = (rows: number) => {
    const seconds = Math.max((performance.now() - begun) / 1000, 0.001)
    const read = size > 0 ? Math.min(bytesRead() / size, 1) : 0
    const left = read > 0 ? duration((seconds / read) * (1 - read)) : undefined
    return { rate: Math.round((rows - fromRow) / seconds), percent: Math.floor(read * 100), left }
  }
  if (stream.isTTY && size > 0) return bar(stream, size, bytesRead, paceOf)
  let shown = fromRow - (fromRow % rowsPerLine)
  return {
    update: ({ rows }) => {
      if (rows - shown < rowsPerLine) return
      shown = rows - (rows % rowsPerLine)
      const { rate, percent, left } = paceOf(rows)
      stream.write(`${rows} rows, ${rate} rows/s${left === undefined ? '' : `, ${percent}%, about ${left} left`}\n`)
    },
    stop: () => {},
  }
}

type Pace = (rows: number) => { rate: number; left: string | undefined }

function bar(stream: WriteStream, size: number, bytesRead: () => number, paceOf: Pace): Progress {
  const single = new SingleBar({
    stream,
    format: '{bar} {percentage}%  {rows} rows, {failed} failed, {rate} rows/s, {left} left',
    hideCursor: true,
    clearOnComplete: true,
  })
  single.start(size, 0, { rows: 0, failed: 0, rate: 0, left: '?' })
  return {
    update: ({ rows, failed }) => single.update(bytesRead(), { rows, failed, ...paceOf(rows) }),
    stop: () => single.stop(),
  }
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  const minutes = Math.floor(whole / 60)
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
