import { parseArgs } from 'node:util'
import { bulk } from './bulk.ts'
import { changes } from './changes.ts'
import { dashboards } from './dashboards.ts'
import { stores } from './data.ts'
import { databases } from './databases.ts'
import { deadWebhook } from './dead-webhook.ts'
import { imports } from './import.ts'
import { ledger } from './ledger.ts'
import { live } from './live.ts'
import { memory, start } from './process.ts'
import { compare, graphql, rest, revalidated } from './reads.ts'
import { npmStart, startServer, token } from './servers.ts'
import { startDatabase } from './setup.ts'
import { workers } from './workers.ts'
import { writers } from './writers.ts'

/**
 * The benchmark: `npm run bench`. Rounds alternate, so that ratios are comparable on a machine with other load.
 * `--large` adds a store of 1,000,000 groups, `--only` names parts, `--rounds` and `--seconds` say how long,
 * `--rows` how large a file is imported, `--changes` how many changes there are, `--products` how many products
 * dashboards ask about.
 */
const { values } = parseArgs({
  options: {
    large: { type: 'boolean', default: false },
    only: { type: 'string', default: 'reads,growth,bulk,writers,ledger,live,workers,import,process' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '1,16,64' },
    rows: { type: 'string', default: '200000' },
    changes: { type: 'string', default: '10000000' },
    products: { type: 'string', default: '1000000' },
  },
})
const parts = values.only.split(',')
const rounds = Number(values.rounds)
const seconds = Number(values.seconds)

await using database = await startDatabase({ large: values.large })
const env = { DATABASE_URL: database.url, OUTGOING_ALLOW: '127.0.0.1' }
const yardstickProgram = new URL('yardstick.ts', import.meta.url).pathname
await using yardstick = await startServer([process.execPath, yardstickProgram], env)
await using gateway = await startServer(npmStart, env)
await using uncached = await startServer(npmStart, { ...env, PAGE_CACHE_MB: '0' })

if (parts.includes('reads')) {
  for (const connections of values.connections.split(',').map(Number)) {
    const contenders = [
      rest('yardstick', yardstick),
      rest('GET /v1/assets, read each time', uncached),
      rest('GET /v1/assets, unchanged', gateway),
      await revalidated('GET /v1/assets, If-None-Match', gateway, token),
      graphql('POST /graphql', gateway),
    ]
    print(
      await compare(`50 groups × 5 assets, ${connections} connections`, contenders, { connections, rounds, seconds }),
    )
  }
}
if (parts.includes('growth')) {
  const options = { connections: 16, rounds, seconds }
  const depths = [0, 10_000, 150_000].map((offset) => rest(`offset ${offset}`, uncached, stores.big, offset))
  print(await compare('depth in 200,000 groups', depths, options))
  const sizes = [rest('500 groups', uncached, stores.small), rest('200,000 groups', uncached)]
  if (values.large) sizes.push(rest('1,000,000 groups', uncached, stores.large))
  print(await compare('size of the store', sizes, options))
}
if (parts.includes('bulk')) print(await bulk(database.db, yardstick, gateway, rounds))
if (parts.includes('changes')) print(await changes(database.db, gateway, Number(values.changes)))
if (parts.includes('dashboards')) print(await dashboards(database, gateway, Number(values.products), rounds))
if (parts.includes('databases')) print(await databases(database, { rounds, seconds }))
if (parts.includes('writers')) print(await writers(gateway, seconds, rounds))
if (parts.includes('ledger')) print(await ledger(env, seconds, rounds))
if (parts.includes('live')) print(await live(gateway, seconds, rounds))
if (parts.includes('dead-webhook')) print(await deadWebhook(gateway, rounds))
if (parts.includes('workers')) print(await workers(npmStart, env, { connections: 16, rounds, seconds }))
if (parts.includes('import')) print(await imports(database, Number(values.rows), Math.min(rounds, 3)))
if (parts.includes('process')) {
  print(await start())
  print(await memory(env))
}

function print(text: string): void {
  process.stdout.write(`${text}\n\n`)
}
