import type { WriteStream } from 'node:tty'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startProgress } from '../../src/cli/import/progress.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** What is shown after each second, at a part of the file and a row. */
function shown(fromRow: number, steps: [part: number, rows: number][]): string[] {
  let [text, part] = ['', 0]
  const write = (written: string) => {
    text = written.replace('\r\x1b[K', '')
  }
  const { update } = startProgress({ isTTY: true, write } as unknown as WriteStream, { fromRow, read: () => part })
  return steps.map(([read, rows]) => {
    part = read
    vi.advanceTimersByTime(1_000)
    update({ rows })
    return text
  })
}

it('shows the rows, their speed and the time left', () => {
  expect(
    shown(0, [
      [0, 50],
      [0.25, 150],
      [1, 300],
    ]),
  ).toEqual([
    '50 rows, 50 rows/s',
    '150 rows, 75 rows/s, 25%, about 6 s left',
    '300 rows, 100 rows/s, 100%, about 0 s left',
  ])
})

it('counts the speed and the time left of a resumed import from where this run began', () => {
  expect(
    shown(9_000, [
      [0.875, 9_100],
      [0.9375, 9_300],
    ]),
  ).toEqual(['9100 rows, 100 rows/s, 87%', '9300 rows, 150 rows/s, 93%, about 1 s left'])
})
