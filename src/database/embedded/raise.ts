import { setTimeout as sleep } from 'node:timers/promises'
import { chooseAccount } from './account.ts'
import type { Binaries } from './binaries.ts'
import type { Home } from './home.ts'
import { initialise } from './initialise.ts'
import { type Launched, launch } from './launch.ts'
import { type Lease, takeLease } from './lease.ts'
import { connectionTo, findPostmaster, removeStaleLocks } from './postmaster.ts'
import { lastLines } from './run.ts'

interface Raised {
  readonly lease: Lease
  /** False when another process had started the server. */
  readonly started: boolean
}

/** How long a server may recover from a crash before we give up waiting for it. */
const patience = 60_000

/**
 * Takes a lease on the cluster's server; starts the server when none runs. Any number of processes may do this at
 * once: PostgreSQL itself lets only one server run on a cluster, the others end, and we find the one that stays.
 */
export async function raise(home: Home, binaries: Binaries): Promise<Raised> {
  let launched: Launched | undefined
  for (const deadline = Date.now() + patience; Date.now() < deadline; await sleep(15)) {
    const connection = await connectionTo(home)
    const lease = connection && (await takeLease(connection))
    if (lease) return { lease, started: launched !== undefined && launched.pid === (await findPostmaster(home)) }
    if (launched?.isRunning() || (await findPostmaster(home)) !== undefined) continue
    if (launched) await rethrowUnlessHeldOff(launched, home)
    launched = await start(home, binaries)
  }
  const words = lastLines((await launched?.words()) ?? '')
  throw new Error(`PostgreSQL in ${home.cluster} must answer within ${patience / 1000} s, and did not\n${words}`)
}

async function start(home: Home, binaries: Binaries): Promise<Launched> {
  const account = await chooseAccount(home, binaries.postgres)
  await initialise(home, binaries, account)
  await removeStaleLocks(home)
  return launch(home, binaries, account)
}

/** Another server was in the way and is gone meanwhile, or the last processes of a killed one are still going. */
async function rethrowUnlessHeldOff(launched: Launched, home: Home): Promise<void> {
  const words = await launched.words()
  if (!/lock file|pre-existing shared memory block/.test(words)) {
    throw new Error(`PostgreSQL in ${home.cluster} did not start. Its log ends with\n${lastLines(words)}`)
  }
  await sleep(100)
}
