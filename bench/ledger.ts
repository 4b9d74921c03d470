import { inTurn, put } from './bulk.ts'
import { stores } from './data.ts'
import { load } from './load.ts'
import { npmStart, startServer } from './servers.ts'
import { figure, median, table } from './table.ts'
import { additions } from './writers.ts'

/** Writes through a gateway that records changes and through one that does not, alternately, on one database. */
export async function ledger(env: Record<string, string>, seconds: number, rounds: number): Promise<string> {
  const off = await startServer(npmStart, { ...env, CHANGES_RETENTION: '0' })
  const on = await startServer(npmStart, env)
  const contenders = { 'CHANGES_RETENTION=0': off, 'with the ledger': on }
  try {
    const puts = (n: number) => ({
      'CHANGES_RETENTION=0': put(off, stores.big, n),
      'with the ledger': put(on, stores.big, n),
    })
    const bulk = [
      ...(await inTurn('PUT of 1,000 products', puts(1_000), on, rounds)),
      ...(await inTurn('PUT of one product', puts(1), on, rounds)),
    ]
    const perSecond = new Map<string, number[]>()
    for (let round = 0; round <= rounds; round++) {
      for (const [name, server] of Object.entries(contenders)) {
        const run = await load(additions(server, `${name}-${round}-${Date.now()}`), 8, seconds)
        if (round > 0) perSecond.set(name, [...(perSecond.get(name) ?? []), run.perSecond])
      }
    }
    const of = (name: string) => median(perSecond.get(name) ?? [])
    const writers = Object.keys(contenders).map((name) => [
      `8 writers: ${name}`,
      figure(of(name)),
      figure(of(name) / of('CHANGES_RETENTION=0')),
    ])
    return [table(['the ledger', 'ms', 'speed', ''], bulk), table(['the ledger', 'writes/s', 'ratio'], writers)].join(
      '\n\n',
    )
  } finally {
    await Promise.all([off.stop(), on.stop()])
  }
}
