import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createTurns, type Turns } from '../../src/database/turns.ts'

/** Takes turns for callers, named by a letter each, and notes who had one and who had none. */
function waitAll(turns: Turns, callers: string) {
  const served: string[] = []
  const refused: string[] = []
  const all = [...callers].map(async (caller) => {
    try {
      const giveBack = await turns.take({ caller })
      served.push(caller)
      await sleep(1)
      giveBack()
    } catch {
      refused.push(caller)
    }
  })
  return { done: Promise.all(all), served, refused }
}

describe('turns', () => {
  it('go round among the callers that wait, and within a caller in the order of the requests', async () => {
    const turns = createTurns({ most: 1, mostWaiting: 100, waitMs: 10_000 })
    const giveBack = await turns.take({ caller: 'z' })
    const { done, served } = waitAll(turns, 'aaaaaabbc')
    giveBack()
    await done
    expect(served.join('')).toBe('abcabaaaa')
  })

  it('are as many as there are, and come back', async () => {
    const turns = createTurns({ most: 3, mostWaiting: 100, waitMs: 10_000 })
    for (let round = 0; round < 3; round++) {
      const held = await Promise.all(['a', 'b', 'c'].map((caller) => turns.take({ caller })))
      const fourth = turns.take({ caller: 'd' })
      expect(turns.waiting()).toBe(1)
      for (const giveBack of held) {
        giveBack()
        giveBack() // giving back twice gives back once
      }
      ;(await fourth)()
      expect(turns.waiting()).toBe(0)
    }
  })

  it('are refused at once to the caller with the longest line when too many wait', async () => {
    const turns = createTurns({ most: 1, mostWaiting: 4, waitMs: 10_000 })
    const giveBack = await turns.take({ caller: 'z' })
    const { done, served, refused } = waitAll(turns, 'aaaaaabb')
    await sleep(5)
    expect(refused.join('')).toBe('aaaa')
    giveBack()
    await done
    expect(served.join('')).toBe('abab')
  })

  it('are not waited for longer than the time given', async () => {
    const turns = createTurns({ most: 1, mostWaiting: 4, waitMs: 50 })
    const giveBack = await turns.take({ caller: 'a' })
    await expect(turns.take({ caller: 'a' })).rejects.toMatchObject({ code: '53300' })
    expect(turns.waiting()).toBe(0)
    giveBack()
    ;(await turns.take({ caller: 'a' }))()
  })

  it('are not kept for a client that has gone', async () => {
    const turns = createTurns({ most: 1, mostWaiting: 4, waitMs: 10_000 })
    const giveBack = await turns.take({ caller: 'a' })
    let leave = () => {}
    const waits = turns.take({
      caller: 'a',
      onGone: (gone) => {
        leave = gone
        return () => {}
      },
    })
    leave()
    await expect(waits).rejects.toThrow('gone')
    expect(turns.waiting()).toBe(0)
    giveBack()
    ;(await turns.take({ caller: 'b' }))()
  })
})
