import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chooseAccount } from './account.ts'
import { createCluster } from './create-cluster.ts'
import { type DataDirectory, giveTo, socketPort } from './data-directory.ts'
import { failureOf } from './failure.ts'
import { acquireLease } from './lease.ts'
import { findPostmaster, removeStaleLocks, requireOwnSocket } from './postmaster.ts'
import { type Account, commandLine, spawnOptions } from './process.ts'

/** A server process that we started. It ends by itself when it finds another server on the cluster. */
type ServerProcess = Awaited<ReturnType<typeof spawnServer>>

/** How long a server may recover from a crash before we give up waiting for it. */
const maxRecoveryMs = 60_000

/** Enough for the products and indexes of a large store; PostgreSQL's manual advises a quarter of the memory. */
const maxBuffersMib = 512

/** Acquires a lease on the cluster's server, which many processes may start at once: PostgreSQL lets one stay. */
export async function startServer(directory: DataDirectory, binDir: string) {
  const postgres = join(binDir, 'postgres')
  let server: ServerProcess | undefined
  for (const deadline = Date.now() + maxRecoveryMs; Date.now() < deadline; await sleep(15)) {
    const lease = await acquireLease(directory)
    const postmaster = await findPostmaster(directory)
    if (lease) return { lease, started: server !== undefined && server.child.pid === postmaster }
    const isRunning = server?.child.exitCode === null && server.child.signalCode === null
    if (postmaster !== undefined) await requireOwnSocket(directory)
    if (postmaster !== undefined || isRunning) continue
    if (server) await requireLocked(server, directory)
    const account = await chooseAccount(directory, postgres)
    await createCluster(directory, binDir, account)
    await removeStaleLocks(directory)
    server = await spawnServer(directory, postgres, account)
  }
  const what = `PostgreSQL in ${directory.cluster} must answer within ${maxRecoveryMs / 1000} s, and did not`
  const log = server ? await server.log() : await readFile(directory.serverLog, 'utf8').catch(() => '')
  throw await failureOf(what, log, directory.path)
}

/** Another server was running and is gone by now, or the last processes of a killed one are still ending: both pass. */
async function requireLocked(server: ServerProcess, directory: DataDirectory): Promise<void> {
  const log = await server.log()
  if (!/lock file|pre-existing shared memory block/.test(log)) {
    throw await failureOf(`PostgreSQL in ${directory.cluster} did not start`, log, directory.path)
  }
  await sleep(100)
}

/** Returns at once, long before the server answers. */
async function spawnServer(directory: DataDirectory, postgres: string, account: Account) {
  const { serverLog, owner } = directory
  const log = await open(serverLog, 'a', 0o600)
  await giveTo(owner, serverLog)
  const { size: logStart } = await log.stat()
  // Its own session: Ctrl-C in our terminal must not reach the server.
  const child = spawn(...commandLine(account, postgres, serverArguments(directory)), {
    ...spawnOptions(),
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  })
  await once(child, 'spawn').finally(() => log.close())
  child.unref()
  return { child, log: async () => (await readFile(serverLog)).subarray(logStart).toString() }
}

function serverArguments({ cluster, socketDir }: DataDirectory): string[] {
  const settings = [
    'max_connections=100',
    `shared_buffers=${Math.floor(Math.min(maxBuffersMib, memoryMib() / 4))}MB`,
    // The gateway logs failed statements: here they would make the log grow, and put data into it.
    'log_min_messages=log',
    'log_checkpoints=off',
    // After a crash all files are synchronized: by one call where there is one, and not file by file.
    ...(process.platform === 'linux' ? ['recovery_init_sync_method=syncfs'] : []),
    'listen_addresses=',
    `port=${socketPort}`,
    // The setting is a list, so the path is quoted: it may contain commas.
    `unix_socket_directories="${socketDir.replaceAll('"', '""')}"`,
    'unix_socket_permissions=0700',
  ]
  return ['-D', cluster, ...settings.flatMap((setting) => ['-c', setting])]
}

/** Of the machine, or what a container may use of it. */
function memoryMib(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY) / 2 ** 20
}
