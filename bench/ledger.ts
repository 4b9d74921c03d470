import { alternate, rateRows } from './alternate.ts'
import { inTurn, put } from './bulk.ts'
import { stores } from './data.ts'
import { load } from './load.ts'
import { npmStart, startServer } from './servers.ts'
import { table } from './table.ts'
import { additions } from './writers.ts'

/** Writes through a gateway that records changes and through one that does not, alternately, on one database. */
export async function ledger(env: Record<string, string>, seconds: number, rounds: number): Promise<string> {
  await using off = await startServer(npmStart, { ...env, CHANGES_RETENTION: '0' })
  await using on = await startServer(npmStart, env)
  const puts = (n: number) => ({
    'CHANGES_RETENTION=0': put(off, stores.big, n),
    'with the ledger': put(on, stores.big, n),
  })
  const bulk = [
    ...(await inTurn('PUT of 1,000 products', puts(1_000), rounds)),
    ...(await inTurn('PUT of one product', puts(1), rounds)),
  ]
  const servers = { '8 writers: CHANGES_RETENTION=0': off, '8 writers: with the ledger': on }
  const perSecond = await alternate(servers, rounds, async (server, round) => {
    return (await load(additions(server, `${round}-${Date.now()}`), 8, seconds)).perSecond
  })
  const writers = table(['the ledger', 'writes/s', 'ratio'], rateRows(perSecond))
  return `${table(['the ledger', 'ms', 'speed'], bulk)}\n\n${writers}`
}
