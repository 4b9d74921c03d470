import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isLong, seed } from '../../faults/scale.ts'
import { useDatabase } from '../../support/database.ts'
import { attacks } from './attacks.ts'
import { randomAttack } from './random-attack.ts'
import { type Attack, excesses, head, type Outcome, row, startTwoTenants, type TwoTenants } from './two-tenants.ts'

/** The long form takes ISOLATION_MINUTES for random attacks. */
const searchMs = isLong ? Number(process.env.ISOLATION_MINUTES ?? 30) * 60_000 : 20_000

const database = useDatabase()
let tenants: TwoTenants
beforeAll(async () => {
  tenants = await startTwoTenants(database)
})
afterAll(() => tenants.stop())

const print = (line: string) => process.stdout.write(`${line}\n`)

async function measureAlone(milliseconds: number): Promise<Outcome> {
  return { ...(await tenants.during(() => sleep(milliseconds))), answers: new Map(), faults: [] }
}

/** What holds however busy the machine is. */
function expectIsolated({ seen, memory, faults }: Outcome): void {
  expect(faults).toEqual([])
  expect(seen.refused).toEqual([])
  expect(memory).toBeLessThan(1_024)
  for (const times of [seen.list, seen.put, seen.health])
    expect(Math.max(...times)).toBeLessThan(isLong ? 60_000 : 5_000)
}

describe('while one tenant attacks, the other one is answered', () => {
  it('alone, to compare with', { timeout: 60_000 }, async () => {
    const alone = await measureAlone(isLong ? 20_000 : 2_000)
    print(`\n${head}\n${row('alone', alone)}`)
    expect(alone.seen.refused).toEqual([])
  })

  it.each(attacks.filter(({ isLong: takesLong }) => isLong || !takesLong))(
    '$name',
    { timeout: 1_200_000 },
    async (attack) => {
      const beside = await attack.start?.(database)
      const own = beside && (await startTwoTenants(database, beside.env))
      try {
        const outcome = await (own ?? tenants).attack(attack, isLong ? 5 : 1)
        print(row(attack.name, outcome))
        const over = excesses(outcome)
        if (isLong && over.length > 0) print(`  over: ${over.slice(0, 10).join('; ')}`)
        expectIsolated(outcome)
      } finally {
        await own?.stop()
        await beside?.end()
      }
    },
  )

  it(`random attacks for ${searchMs / 60_000} min (seed ${seed})`, { timeout: searchMs + 1_200_000 }, async () => {
    const until = Date.now() + searchMs
    const found: string[] = []
    let cases = 0
    for (; Date.now() < until && found.length < 50; cases++) {
      const attack = randomAttack(seed + cases)
      const outcome = await tenants.attack(attack)
      if (isLong) found.push(...(await report(attack, outcome)))
      else expectIsolated(outcome)
    }
    print(`${cases} random attacks from seed ${seed}, ${found.length} of them over the figures`)
    expect(found).toEqual([])
  })
})

/** Prints an attack that is over the figures twice, and what the neighbour sees alone: another may load the machine. */
async function report(attack: Attack, outcome: Outcome): Promise<string[]> {
  const first = excesses(outcome)
  if (first.length === 0) return []
  const alone = await measureAlone(3_000)
  const again = await tenants.attack(randomAttack(Number.parseInt(attack.name, 10)))
  const second = excesses(again)
  const isFault = outcome.faults.length + outcome.seen.refused.length > 0
  if (second.length === 0 && !isFault) return []
  print(row(attack.name, outcome))
  print(row('  again', again))
  print(row('  alone', alone))
  for (const line of [...new Set([...first, ...second])].slice(0, 8)) print(`  ${line}`)
  return [attack.name]
}
