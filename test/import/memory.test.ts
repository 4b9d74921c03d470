import { open } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { runCliProcess } from '../support/clients/cli.ts'
import { useCatalog } from './catalog.ts'

const catalog = useCatalog()

/** A file of so many MiB: rows of about 4 KiB, with three images each. */
async function fileOf(name: string, mebibytes: number): Promise<string> {
  const file = await open(catalog.path(name), 'w')
  await file.write('sku,status,Text,Image URL 1,Image URL 2,Image URL 3\n')
  for (let i = 0; i < mebibytes * 256; i++) {
    const text = `${i} and ${i * 7}, `.repeat(4096).slice(0, 3900)
    const urls = [1, 2, 3].map((n) => `https://cdn.example/${name}/${i}-${n}.jpg`)
    await file.write(`${String(i).padStart(8, '0')},new,"${text}",${urls.join(',')}\n`)
  }
  await file.close()
  return catalog.path(name)
}

/**
 * A module for Node.js that prints at the exit how much memory was in use at most, after collections of garbage. The
 * resident memory has garbage too: how much depends on when a busy machine collects it.
 */
const tell = `
  import { setFlagsFromString } from 'node:v8'
  import { runInNewContext } from 'node:vm'
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  let peak = 0
  const measure = () => {
    // The second one waits for the thread that frees the buffers of the first.
    collect()
    collect()
    const { heapUsed, external } = process.memoryUsage()
    peak = Math.max(peak, heapUsed + external)
  }
  setInterval(measure, 400).unref()
  process.on('exit', () => process.stderr.write('peak ' + peak))`

/** How much memory, in MiB, was in use at most while a command ran. */
async function peakOf(...args: string[]): Promise<number> {
  const { code, stderr } = await runCliProcess(args, {
    DATABASE_URL: catalog.database.url,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(tell)}`,
  })
  const [, bytes] = /peak (\d+)$/.exec(stderr) ?? []
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/peak \d+$/) })
  return Number(bytes) / 1024 / 1024
}

test('an import, and an export, take as much memory for a large file as for a small one', async () => {
  const peaks: { import: number; export: number }[] = []
  for (const mebibytes of [32, 128]) {
    const store = await catalog.newStore()
    const imported = await peakOf('import', await fileOf(`${mebibytes}.csv`, mebibytes), '--store', store)
    peaks.push({ import: imported, export: await peakOf('export', '--store', store, '--out', catalog.path('out.csv')) })
  }
  const [small, large] = peaks
  // What is read ahead without end, or kept, would make it grow by a hundred and more.
  expect((large?.import ?? 0) - (small?.import ?? 0), JSON.stringify(peaks)).toBeLessThan(25)
  expect((large?.export ?? 0) - (small?.export ?? 0), JSON.stringify(peaks)).toBeLessThan(25)
})
