import { connect } from '../src/database/connection/connect.ts'
import { citusNodes, createSpread, dropSpread } from '../test/support/database/citus.ts'
import { generate, smallStores } from './data.ts'
import { load, type Target } from './load.ts'
import { pageOf } from './reads.ts'
import { npmStart, type Server, startServer } from './servers.ts'
import { figure, median, table } from './table.ts'

const sizes = [1, 2]
const connections = 16

/** As many gateways as there are workers of Citus, one or two, on 200 stores of 20 products and groups. */
export async function citusServers({ rounds, seconds }: { rounds: number; seconds: number }): Promise<string> {
  const deployments = await Promise.all(sizes.map(start))
  const results = new Map<string, number[]>()
  try {
    for (let round = 0; round <= rounds; round++) {
      for (const [work, targetOf] of Object.entries(works)) {
        for (const { size, gateways } of deployments) {
          const one = (gateway: Server, i: number) =>
            load(targetOf(gateway, `${round}-${i}`), connections / size, seconds)
          const loads = await Promise.all(gateways.map(one))
          const key = `${work} ${size}`
          const perSecond = loads.reduce((sum, { perSecond }) => sum + perSecond, 0)
          if (round > 0) results.set(key, [...(results.get(key) ?? []), perSecond])
        }
      }
    }
  } finally {
    for (const { gateways, drop } of deployments) {
      await Promise.all(gateways.map((gateway) => gateway.stop()))
      await drop()
    }
  }
  const of = (work: string, size: number) => median(results.get(`${work} ${size}`) ?? [])
  const rows = Object.keys(works).flatMap((work) =>
    sizes.map((size) => [`${work}: ${size} on ${size}`, figure(of(work, size)), figure(of(work, size) / of(work, 1))]),
  )
  return table(['gateways on workers of Citus', 'requests/s', 'ratio'], rows)
}

async function start(size: number) {
  const database = `bench_${size}`
  await dropSpread(database)
  await createSpread(database, false, size)
  const [{ host, port, user } = { host: '', port: 0, user: '' }] = await citusNodes()
  const db = connect({ host, port, user, database, statement_timeout: 0 }, () => {})
  await generate(db, { large: false })
  await db.destroy()
  const env = { DATABASE_URL: `postgresql://${user}@${host}:${port}/${database}`, PAGE_CACHE_MB: '0' }
  const gateways = await Promise.all(Array.from({ length: size }, () => startServer(npmStart, env)))
  return { size, gateways, drop: () => dropSpread(database) }
}

const works: Record<string, (gateway: Server, run: string) => Target> = {
  'GET /v1/assets': ({ url }) => ({ url, requests: smallStores.map((store) => ({ path: pageOf(store) })) }),
  'PUT of 20 products': ({ url }, run) => ({
    url,
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    requests: smallStores.map((store) => ({
      path: `/v1/products?store_uuid=${store}`,
      body: JSON.stringify(
        Array.from({ length: 20 }, (_, n) => ({
          product_code: `SKU-${String(n).padStart(7, '0')}`,
          Color: `${run} ${Date.now()}`,
        })),
      ),
    })),
  }),
}
