import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile, rename, stat } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import type { Account } from './account.ts'
import type { Binaries } from './binaries.ts'
import { giveTo, type Home } from './home.ts'
import { connectionTo, socketPort } from './postmaster.ts'
import { commandLine, spawnOptions } from './run.ts'

/** A server process that we started; it may have found another one in its place and ended. */
export interface Launched {
  readonly pid: number | undefined
  isRunning(): boolean
  /** What the log got since it was launched, other servers that were launched on the cluster included. */
  words(): Promise<string>
}

/** Starts `postgres` on the cluster and returns at once, long before it answers. */
export async function launch(home: Home, { postgres }: Binaries, account: Account): Promise<Launched> {
  const log = await openServerLog(home)
  const { size: logStart } = await log.stat()
  // Its own session: Ctrl-C in our terminal is no signal to the server.
  const child = spawn(...commandLine(account, postgres, await serverArguments(home)), {
    ...spawnOptions(account),
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  })
  await once(child, 'spawn').finally(() => log.close())
  child.unref()
  return {
    pid: child.pid,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    words: async () => (await readFile(home.serverLog)).subarray(logStart).toString(),
  }
}

/** One old log is kept when the present one has grown past a mebibyte. */
async function openServerLog(home: Home) {
  const { size } = await stat(home.serverLog).catch(() => ({ size: 0 }))
  if (size > 1024 * 1024) await rename(home.serverLog, `${home.serverLog}.1`)
  const log = await open(home.serverLog, 'a', 0o600)
  await giveTo(home.owner, home.serverLog)
  return log
}

async function serverArguments(home: Home): Promise<string[]> {
  // Failed statements are the gateway's to log: here they would make the log grow, and put data into it.
  const logging = ['log_min_messages=log', 'log_checkpoints=off']
  // After a crash all files are synchronized: by one call where there is one, and not file by file.
  const recovery = process.platform === 'linux' ? ['recovery_init_sync_method=syncfs'] : []
  const settings = [
    ...['max_connections=100', 'shared_buffers=128MB'],
    ...[...logging, ...recovery, ...(await listenSettings(home))],
  ]
  return ['-D', home.cluster, ...settings.flatMap((setting) => ['-c', setting])]
}

async function listenSettings(home: Home): Promise<string[]> {
  if (process.platform === 'win32') {
    // After a crash the gateway's pool still knows the port that the last server left in its lock file.
    const last = await connectionTo(home)
    return ['listen_addresses=127.0.0.1', `port=${await freePort(last?.port ?? 0)}`]
  }
  // The setting is a list, so a path stands in quotes: it may have commas.
  const quoted = `"${home.socketDir.replaceAll('"', '""')}"`
  return [
    'listen_addresses=',
    `port=${socketPort}`,
    `unix_socket_directories=${quoted}`,
    'unix_socket_permissions=0700',
  ]
}

async function freePort(wish: number): Promise<number> {
  const probe = createServer().listen(wish, '127.0.0.1')
  const listens = await once(probe, 'listening').catch(() => undefined)
  if (!listens) return freePort(0)
  const { port } = probe.address() as AddressInfo
  await new Promise((closed) => probe.close(closed))
  return port
}
