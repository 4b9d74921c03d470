import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type FileHandle, open, readFile, rename, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { chooseAccount } from './account.ts'
import type { Binaries } from './binaries.ts'
import { createCluster } from './create-cluster.ts'
import { type DataDirectory, giveTo } from './data-directory.ts'
import { acquireLease, type Lease } from './lease.ts'
import { connectionTo, findPostmaster, removeStaleLocks, socketPort } from './postmaster.ts'
import { type Account, commandLine, lastLines, spawnOptions } from './process.ts'

/** A server process that we started. It ends by itself when it finds another server on the cluster. */
interface ServerProcess {
  readonly pid: number | undefined
  isRunning(): boolean
  /** What was logged since it was started, by other servers on the cluster too. */
  log(): Promise<string>
}

/** How long a server may recover from a crash before we give up waiting for it. */
const maxRecoveryMs = 60_000

/**
 * Acquires a lease on the cluster's server and starts the server if none runs; `started` says whether this process did. Any number of processes may
 * do this at once: PostgreSQL itself lets only one server run on a cluster, the others end, and we find the one that stays.
 */
export async function startServer(
  directory: DataDirectory,
  binaries: Binaries,
): Promise<{ lease: Lease; started: boolean }> {
  let server: ServerProcess | undefined
  for (const deadline = Date.now() + maxRecoveryMs; Date.now() < deadline; await sleep(15)) {
    const lease = await acquireLease(await connectionTo(directory))
    if (lease) return { lease, started: server !== undefined && server.pid === (await findPostmaster(directory)) }
    if (server?.isRunning() || (await findPostmaster(directory)) !== undefined) continue
    if (server) await rethrowUnlessLocked(server, directory)
    const account = await chooseAccount(directory, binaries.postgres)
    await createCluster(directory, binaries, account)
    await removeStaleLocks(directory)
    server = await spawnServer(directory, binaries, account)
  }
  const log = lastLines((await server?.log()) ?? '')
  throw new Error(
    `PostgreSQL in ${directory.cluster} must answer within ${maxRecoveryMs / 1000} s, and did not\n${log}`,
  )
}

/** Another server was running and is gone by now, or the last processes of a killed one are still ending: both pass. */
async function rethrowUnlessLocked(server: ServerProcess, directory: DataDirectory): Promise<void> {
  const log = await server.log()
  if (!/lock file|pre-existing shared memory block/.test(log)) {
    throw new Error(`PostgreSQL in ${directory.cluster} did not start. Its log ends with\n${lastLines(log)}`)
  }
  await sleep(100)
}

/** Returns at once, long before the server answers. */
async function spawnServer(directory: DataDirectory, { postgres }: Binaries, account: Account): Promise<ServerProcess> {
  const log = await openServerLog(directory)
  const { size: logStart } = await log.stat()
  // Its own session: Ctrl-C in our terminal must not reach the server.
  const child = spawn(...commandLine(account, postgres, serverArguments(directory)), {
    ...spawnOptions(account),
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  })
  await once(child, 'spawn').finally(() => log.close())
  child.unref()
  return {
    pid: child.pid,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    log: async () => (await readFile(directory.serverLog)).subarray(logStart).toString(),
  }
}

/** One old log is kept when the current one exceeds one mebibyte. */
async function openServerLog({ serverLog, owner }: DataDirectory): Promise<FileHandle> {
  const { size } = await stat(serverLog).catch(() => ({ size: 0 }))
  if (size > 1024 * 1024) await rename(serverLog, `${serverLog}.1`)
  const log = await open(serverLog, 'a', 0o600)
  await giveTo(owner, serverLog)
  return log
}

function serverArguments({ cluster, socketDir }: DataDirectory): string[] {
  const settings = [
    'max_connections=100',
    'shared_buffers=128MB',
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
