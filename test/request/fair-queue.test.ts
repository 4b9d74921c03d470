import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { FairQueue } from '../../src/request/fair-queue.ts'

/** Acquires a slot for each token, named by a letter, and lists which tokens had one and which had none. */
function waitAll(queue: FairQueue, tokens: string) {
  const served: string[] = []
  const refused: string[] = []
  const all = [...tokens].map(async (tokenId) => {
    try {
      const release = await queue.acquire({ tokenId })
      served.push(tokenId)
      await sleep(1)
      release()
    } catch {
      refused.push(tokenId)
    }
  })
  return { done: Promise.all(all), served, refused }
}

describe('the slots of a fair queue', () => {
  it('go round among the tokens that wait, and within a token in the order of the requests', async () => {
    const queue = new FairQueue({ slots: 1, maxWaiting: 100, maxWaitMs: 10_000 })
    const release = await queue.acquire({ tokenId: 'z' })
    const { done, served } = waitAll(queue, 'aaaaaabbc')
    release()
    await done
    expect(served.join('')).toBe('abcabaaaa')
  })

  it('are limited in number, and can be acquired again once released', async () => {
    const queue = new FairQueue({ slots: 3, maxWaiting: 100, maxWaitMs: 10_000 })
    for (let round = 0; round < 3; round++) {
      const held = await Promise.all(['a', 'b', 'c'].map((tokenId) => queue.acquire({ tokenId })))
      const fourth = queue.acquire({ tokenId: 'd' })
      expect(queue.waiting).toBe(1)
      for (const release of held) {
        release()
        release() // releasing twice releases once
      }
      ;(await fourth)()
      expect(queue.waiting).toBe(0)
    }
  })

  it('are never all held by one token, while work without a token may hold all', async () => {
    const queue = new FairQueue({ slots: 4, slotsPerToken: 2, maxWaiting: 100, maxWaitMs: 50 })
    await Promise.all([queue.acquire({ tokenId: 'a' }), queue.acquire({ tokenId: 'a' })])
    await expect(queue.acquire({ tokenId: 'a' })).rejects.toThrow('no slot was free')
    await queue.acquire({ tokenId: 'b' })
    await queue.acquire({ tokenId: 'b' })
    const own = new FairQueue({ slots: 4, slotsPerToken: 2, maxWaiting: 100, maxWaitMs: 50 })
    await Promise.all(Array.from({ length: 4 }, () => own.acquire()))
  })

  it('are refused at once to the token with most waiting requests when too many wait', async () => {
    const queue = new FairQueue({ slots: 1, maxWaiting: 4, maxWaitMs: 10_000 })
    const release = await queue.acquire({ tokenId: 'z' })
    const { done, served, refused } = waitAll(queue, 'aaaaaabb')
    await sleep(5)
    expect(refused.join('')).toBe('aaaa')
    release()
    await done
    expect(served.join('')).toBe('abab')
  })

  it('are not waited for longer than the time given', async () => {
    const queue = new FairQueue({ slots: 1, maxWaiting: 4, maxWaitMs: 50 })
    const release = await queue.acquire({ tokenId: 'a' })
    await expect(queue.acquire({ tokenId: 'a' })).rejects.toMatchObject({ code: '53300' })
    expect(queue.waiting).toBe(0)
    release()
    ;(await queue.acquire({ tokenId: 'a' }))()
  })

  it('are not kept for a client that has left', async () => {
    const queue = new FairQueue({ slots: 1, maxWaiting: 4, maxWaitMs: 10_000 })
    const release = await queue.acquire({ tokenId: 'a' })
    const leaving = new AbortController()
    const waits = queue.acquire({ tokenId: 'a', signal: leaving.signal })
    leaving.abort()
    await expect(waits).rejects.toThrow('left')
    expect(queue.waiting).toBe(0)
    await expect(queue.acquire({ tokenId: 'a', signal: leaving.signal })).rejects.toThrow('left')
    release()
    ;(await queue.acquire({ tokenId: 'b' }))()
  })

  it('are not all given to one token where each has a share', async () => {
    const queue = new FairQueue({ slots: 2, slotsPerToken: 1, maxWaiting: 4, maxWaitMs: 10_000 })
    const release = await queue.acquire({ tokenId: 'a' })
    const second = queue.acquire({ tokenId: 'a' })
    expect(queue.waiting).toBe(1)
    ;(await queue.acquire({ tokenId: 'b' }))()
    expect(queue.waiting).toBe(1)
    release()
    ;(await second)()
    expect(queue.waiting).toBe(0)
  })
})
