import type { WriteStream } from 'node:tty'
import { SingleBar } from 'cli-progress'

export interface Progress {
  update(bytes: number, rows: number): void
  stop(): void
}

const rowsPerLine = 10_000

/** Shows how far an import has come: a bar on a terminal, else a line for every 10,000 rows. */
export function startProgress(stream: WriteStream, totalBytes: number): Progress {
  if (stream.isTTY && totalBytes > 0) return bar(stream, totalBytes)
  let shown = 0
  return {
    update: (_bytes, rows) => {
      const due = rows - (rows % rowsPerLine)
      if (due > shown) stream.write(`${due} rows\n`)
      shown = due
    },
    stop: () => {},
  }
}

function bar(stream: WriteStream, totalBytes: number): Progress {
  const single = new SingleBar({
    stream,
    format: '{bar} {percentage}% {rows} rows, {eta_formatted} left',
    hideCursor: true,
    clearOnComplete: true,
  })
  single.start(totalBytes, 0, { rows: 0 })
  return {
    update: (bytes, rows) => single.update(bytes, { rows }),
    stop: () => single.stop(),
  }
}
