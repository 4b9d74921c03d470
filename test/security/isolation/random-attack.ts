import { Random } from '../../support/random.ts'
import { type Attacker, type Request, times } from './attacker.ts'
import { reads } from './random-reads.ts'
import { wordsOf } from './random-words.ts'
import { writes } from './random-writes.ts'
import type { Attack } from './two-tenants.ts'

const steps = { ...writes, ...reads }

/** A sequence of requests of random sizes within the documented limits; the same for the same seed. */
export function randomAttack(seed: number): Attack {
  const random = new Random(seed)
  const chosen = times(2 + random.below(4), () => random.some(Object.entries(steps), 1)).flat()
  const run = async (attacker: Attacker) => {
    const words = wordsOf(random, attacker.store)
    for (const [kind, step] of chosen) {
      const copies = words.oneIn(2) ? words.size(8) : 1
      const leaveAfterMs = words.oneIn(8) ? words.size(5_000) : undefined
      const isKeyed = words.oneIn(5)
      for (const request of step(words)) {
        const { path, headers } = request
        const body = typeof request.body === 'object' ? JSON.stringify(request.body) : request.body
        const copy = (i: number): Request => ({
          ...request,
          body,
          what: `${kind}: ${copies} × ${path.slice(0, 20)} of ${String(body).length}: ${String(body).slice(0, 300)}`,
          ...(leaveAfterMs && { leaveAfterMs }),
          ...(isKeyed && path !== '/graphql' && { headers: { ...headers, 'idempotency-key': `${seed} ${i}` } }),
          hasSeveral: /^define|^upsert/.test(kind),
        })
        await attacker.endOfJobs(await attacker.send(...times(copies, copy)))
      }
    }
  }
  return { name: `${seed} ${chosen.map(([kind]) => kind).join(', ')}`, run }
}
