import { expect, it, onTestFinished, vi } from 'vitest'
import { feedPosition } from '../../src/catalogue/changes/cursor.ts'
import type { NewChanges } from '../../src/live/new-changes.ts'
import { createSharedPages } from '../../src/webhooks/deliver/shared-pages.ts'
import { change } from '../live/support/change.ts'

const at = (seq: number, ledger = 'l') => ({ ...feedPosition(7, seq), ledger })

/** The changes up to the fifth, and how often they were read. */
function pagesOfFive() {
  const reads: string[] = []
  const pages = createSharedPages(async (storeUuid, after): Promise<NewChanges> => {
    reads.push(`${storeUuid} ${after.seq}`)
    if (after.seq < 0) throw new Error('no longer kept')
    const seqs = [1, 2, 3, 4, 5].filter((seq) => seq > after.seq)
    const changes = seqs.map((seq) => change('product.created', [[`P${seq}`, null]], { seq: String(seq) }))
    const next = at(5)
    return { changes, next, seen: next, durable: next, hasMore: false, asOf: { time: new Date(), nextTx: 8n } }
  })
  const codesAfter = async (...after: Parameters<typeof pages>) =>
    (await pages(...after)).changes.flatMap(({ codes }) => codes)
  return { reads, pages, codesAfter }
}

it('a page serves all webhooks of its store whose position is in it', async () => {
  const { reads, codesAfter } = pagesOfFive()
  const codes = await Promise.all([codesAfter('A', at(0)), codesAfter('A', at(3)), codesAfter('A', at(0))])
  expect(codes).toEqual([
    ['P1', 'P2', 'P3', 'P4', 'P5'],
    ['P4', 'P5'],
    ['P1', 'P2', 'P3', 'P4', 'P5'],
  ])
  expect(reads).toEqual(['A 0'])
})

it('positions outside of it, and those of other stores and ledgers, are read anew', async () => {
  const { reads, codesAfter } = pagesOfFive()
  await codesAfter('A', at(2))
  await codesAfter('A', at(5))
  await codesAfter('A', at(1))
  await codesAfter('A', at(3, 'another'))
  await codesAfter('B', at(3))
  expect(reads).toEqual(['A 2', 'A 5', 'A 1', 'A 3', 'B 3'])
})

it('a webhook takes changes from a list of its own', async () => {
  const { pages, codesAfter } = pagesOfFive()
  const { changes } = await pages('A', at(0))
  changes.splice(0)
  expect(await codesAfter('A', at(0))).toHaveLength(5)
})

it('a position that cannot be read does not fail for those after it', async () => {
  const { codesAfter } = pagesOfFive()
  const both = await Promise.allSettled([codesAfter('A', at(-1)), codesAfter('A', at(3))])
  expect(both).toMatchObject([{ reason: new Error('no longer kept') }, { value: ['P4', 'P5'] }])
  await expect(codesAfter('A', at(-1))).rejects.toThrow('no longer kept')
  expect(await codesAfter('A', at(4))).toEqual(['P5'])
})

it('at most eight pages are kept, for a second', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { reads, codesAfter } = pagesOfFive()
  const stores = Array.from({ length: 20 }, (_, i) => `${i}`)
  for (const store of [...stores, ...stores]) await codesAfter(store, at(0))
  expect(vi.getTimerCount()).toBe(8)
  vi.advanceTimersByTime(1_000)
  expect(vi.getTimerCount()).toBe(0)
  const { length } = reads
  await codesAfter('19', at(0))
  expect(reads.slice(length)).toEqual(['19 0'])
})
