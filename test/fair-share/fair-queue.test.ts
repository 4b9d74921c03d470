import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { FairQueue } from '../../src/fair-share/fair-queue.ts'

/** Acquires a slot for each token, such as `a1` of the tenant `a`, and lists which had one and which had none. */
function waitAll(queue: FairQueue, tokens: readonly string[]) {
  const served: string[] = []
  const refused: string[] = []
  const all = tokens.map(async (tokenId) => {
    try {
      const release = await queue.acquire({ tenant: tokenId.charAt(0), tokenId })
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
  it('go round among the tenants that wait, and within a tenant in the order of the requests', async () => {
    const queue = new FairQueue({ slots: 1, maxWaiting: 100, maxWaitMs: 10_000 })
    const release = await queue.acquire({ tenant: 'z' })
    const { done, served } = waitAll(queue, [...'aaaaaabbc'])
    release()
    await done
    expect(served.join('')).toBe('abcabaaaa')
  })

  it('go round among the tokens of a tenant, which together get what one token of another tenant gets', async () => {
    const queue = new FairQueue({ slots: 1, maxWaiting: 100, maxWaitMs: 10_000 })
    const release = await queue.acquire({ tenant: 'z' })
    const { done, served } = waitAll(queue, ['a1', 'a1', 'a1', 'a2', 'a2', 'a3', 'b1', 'b1', 'b1', 'b1'])
    release()
    await done
    expect(served.join(' ')).toBe('a1 b1 a2 b1 a3 b1 a1 b1 a2 a1')
  })

  it('are limited in number, and can be acquired again once released', async () => {
    const queue = new FairQueue({ slots: 3, maxWaiting: 100, maxWaitMs: 10_000 })
    for (let round = 0; round < 3; round++) {
      const held = await Promise.all(['a', 'b', 'c'].map((tenant) => queue.acquire({ tenant })))
      const fourth = queue.acquire({ tenant: 'd' })
      expect(queue.waiting).toBe(1)
      for (const release of held) {
        release()
        release() // releasing twice releases once
      }
      ;(await fourth)()
      expect(queue.waiting).toBe(0)
    }
  })

  it('are never all held by one tenant, while work without a tenant may hold all', async () => {
    const queue = new FairQueue({ slots: 4, slotsPerTenant: 2, maxWaiting: 100, maxWaitMs: 50 })
    await Promise.all(['1', '2'].map((tokenId) => queue.acquire({ tenant: 'a', tokenId })))
    await expect(queue.acquire({ tenant: 'a' })).rejects.toThrow('no slot was free')
    await queue.acquire({ tenant: 'b' })
    await queue.acquire({ tenant: 'b' })
    const own = new FairQueue({ slots: 4, slotsPerTenant: 2, maxWaiting: 100, maxWaitMs: 50 })
    await Promise.all(Array.from({ length: 4 }, () => own.acquire()))
  })

  it('are refused at once to the tenant with most waiting requests when too many wait', async () => {
    const queue = new FairQueue({ slots: 1, maxWaiting: 4, maxWaitMs: 10_000 })
    const release = await queue.acquire({ tenant: 'z' })
    const { done, served, refused } = waitAll(queue, [...'aaaaaabb'])
    await sleep(5)
    expect(refused.join('')).toBe('aaaa')
    release()
    await done
    expect(served.join('')).toBe('abab')
  })

  it('are refused to the token with most waiting requests of the tenant with most', async () => {
    const queue = new FairQueue({ slots: 1, maxWaiting: 6, maxWaitMs: 10_000 })
    const release = await queue.acquire({ tenant: 'z' })
    const { done, served, refused } = waitAll(queue, ['a1', 'a1', 'a1', 'a2', 'b1', 'b1', 'b1', 'a2', 'a2'])
    await sleep(5)
    expect(refused.sort().join(' ')).toBe('a1 a1 a2')
    release()
    await done
    expect(served.join(' ')).toBe('a1 b1 a2 b1 a2 b1')
  })

  it('are not waited for longer than the time given', async () => {
    const queue = new FairQueue({ slots: 1, maxWaiting: 4, maxWaitMs: 50 })
    const release = await queue.acquire({ tenant: 'a' })
    await expect(queue.acquire({ tenant: 'a' })).rejects.toMatchObject({ code: '53300' })
    expect(queue.waiting).toBe(0)
    release()
    ;(await queue.acquire({ tenant: 'a' }))()
  })

  it('are not kept for a client that has left', async () => {
    const queue = new FairQueue({ slots: 1, maxWaiting: 4, maxWaitMs: 10_000 })
    const release = await queue.acquire({ tenant: 'a' })
    const leaving = new AbortController()
    const waits = queue.acquire({ tenant: 'a', signal: leaving.signal })
    leaving.abort()
    await expect(waits).rejects.toThrow('left')
    expect(queue.waiting).toBe(0)
    await expect(queue.acquire({ tenant: 'a', signal: leaving.signal })).rejects.toThrow('left')
    release()
    ;(await queue.acquire({ tenant: 'b' }))()
  })

  it('are not all given to one tenant where each has a share', async () => {
    const queue = new FairQueue({ slots: 2, slotsPerTenant: 1, maxWaiting: 4, maxWaitMs: 10_000 })
    const release = await queue.acquire({ tenant: 'a' })
    const second = queue.acquire({ tenant: 'a' })
    expect(queue.waiting).toBe(1)
    ;(await queue.acquire({ tenant: 'b' }))()
    expect(queue.waiting).toBe(1)
    release()
    ;(await second)()
    expect(queue.waiting).toBe(0)
  })
})
