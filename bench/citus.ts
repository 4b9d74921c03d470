import { connect } from '../src/database/connection/connect.ts'
import { citusNodes, createDistributed, dropDistributed } from '../test/support/database/citus.ts'
import { alternate, rateRows } from './alternate.ts'
import { generate, smallStores } from './data.ts'
import { load, type Target } from './load.ts'
import { pageOf } from './reads.ts'
import { npmStart, type Server, startServer } from './servers.ts'
import { table } from './table.ts'

const sizes = [1, 2]
const connections = 16

/** As many gateways as there are workers of Citus, one or two, on 200 stores of 20 products and groups. */
export async function citusServers({ rounds, seconds }: { rounds: number; seconds: number }): Promise<string> {
  const deployments = await Promise.all(sizes.map(start))
  const ways = Object.fromEntries(deployments.map((one) => [`GET /v1/assets: ${one.size} on ${one.size}`, one]))
  try {
    const perSecond = await alternate(ways, rounds, async ({ size, gateways }) => {
      const loads = await Promise.all(gateways.map((each) => load(pages(each), connections / size, seconds)))
      return loads.reduce((sum, { perSecond }) => sum + perSecond, 0)
    })
    return table(['gateways on workers of Citus', 'requests/s', 'ratio'], rateRows(perSecond))
  } finally {
    for (const { gateways, drop } of deployments) {
      await Promise.all(gateways.map((gateway) => gateway.stop()))
      await drop()
    }
  }
}

async function start(size: number) {
  const database = `bench_${size}`
  await dropDistributed(database)
  await createDistributed(database, { workers: size })
  const [{ host, port, user } = { host: '', port: 0, user: '' }] = await citusNodes()
  const db = connect({ host, port, user, database, statement_timeout: 0 }, () => {})
  await generate(db, { large: false })
  await db.destroy()
  const env = { DATABASE_URL: `postgresql://${user}@${host}:${port}/${database}`, PAGE_CACHE_MB: '0' }
  const gateways = await Promise.all(Array.from({ length: size }, () => startServer(npmStart, env)))
  return { size, gateways, drop: () => dropDistributed(database) }
}

const pages = ({ url }: Server): Target => ({ url, requests: smallStores.map((store) => ({ path: pageOf(store) })) })
