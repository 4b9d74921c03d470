import { execFile } from 'node:child_process'
import { readFileSync, unlinkSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Binaries } from './binaries.ts'
import type { Home } from './home.ts'
import { catalogue } from './initialise.ts'

/** pg connection options: on Unix `host` is the socket directory. */
export interface Connection {
  host: string
  port: number
  user: string
  database: string
  password?: string
}

/** The port is part of a socket's name; our servers never listen on it. */
export const socketPort = 5432

const execute = promisify(execFile)

/** Where the cluster's server answers when it runs; undefined when that cannot be known yet. */
export async function connectionTo(home: Home): Promise<Connection | undefined> {
  const file = await readPidFile(pidFileOf(home))
  // A copy of a running cluster has the original's file, and must not lead to the original's server.
  const own = file && resolve(file.dataDir) === home.cluster ? file : undefined
  const access = { user: catalogue, database: catalogue }
  if (process.platform !== 'win32') {
    return { ...access, host: own?.socketDir || home.socketDir, port: own?.port || socketPort }
  }
  if (!own) return undefined
  return { ...access, host: '127.0.0.1', port: own.port, password: await readFile(home.passwordFile, 'utf8') }
}

/** The process id of the server that runs on the cluster, whether it answers or not. */
export async function findPostmaster(home: Home): Promise<number | undefined> {
  const file = await readPidFile(pidFileOf(home))
  return file && (await isPostmaster(file.pid, home)) ? file.pid : undefined
}

/**
 * Removes the lock files that PostgreSQL would take for a running server's, wrongly: their process id is another
 * program's by now (as after a reboot), or a crash left them without one. It sees to those of dead processes itself.
 */
export async function removeStaleLocks(home: Home): Promise<void> {
  for (const file of [pidFileOf(home), join(home.socketDir, `.s.PGSQL.${socketPort}.lock`)]) {
    const content = await readFile(file, 'utf8').catch(() => undefined)
    if (content === undefined) continue
    const pid = Number.parseInt(content, 10)
    const stale = pid > 0 ? isAlive(pid) && !(await isPostmaster(pid, home)) : await isOlderThan(file, 2_000)
    if (stale) removeUnchanged(file, content)
  }
}

/** Stops the cluster's server and waits until it is down: gently for ten seconds, then at the price of a recovery. */
export async function shutDown(home: Home, binaries: Binaries): Promise<void> {
  for (const signal of ['INT', 'QUIT']) {
    const pid = await findPostmaster(home)
    if (pid === undefined) return
    await sendSignal(pid, signal, binaries)
    for (const deadline = Date.now() + 10_000; Date.now() < deadline; await sleep(10)) {
      if (!(await isPostmaster(pid, home))) return
    }
  }
  throw new Error(`PostgreSQL in ${home.cluster} must stop when it is told to, and did not`)
}

function pidFileOf(home: Home): string {
  return join(home.cluster, 'postmaster.pid')
}

async function readPidFile(path: string) {
  const text = await readFile(path, 'utf8').catch(() => '')
  const [pid = '', dataDir = '', , port = '', socketDir = ''] = text.split('\n')
  return text === '' ? undefined : { pid: Number(pid), dataDir, port: Number(port), socketDir }
}

/** Process ids are used again, so the process must be a server of this very cluster. */
async function isPostmaster(pid: number, home: Home): Promise<boolean> {
  if (process.platform === 'linux') {
    const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0')
    return words[words.indexOf('-D') + 1] === home.cluster
  }
  // PostgreSQL on Windows asks a pipe that only its own processes have, so the number alone misleads nobody there.
  if (process.platform === 'win32') return isAlive(pid)
  const { stdout } = await execute('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
  return stdout.includes(`-D ${home.cluster} `)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function isOlderThan(file: string, milliseconds: number): Promise<boolean> {
  const found = await stat(file).catch(() => undefined)
  return found !== undefined && Date.now() - found.mtimeMs > milliseconds
}

/** In one go: by now a server that starts may have put its own file there, which must not be missing for a blink. */
function removeUnchanged(file: string, content: string): void {
  try {
    if (readFileSync(file, 'utf8') === content) unlinkSync(file)
  } catch {
    // Somebody else has removed it.
  }
}

async function sendSignal(pid: number, signal: string, { pgCtl }: Binaries): Promise<void> {
  // Node's signals end a process on Windows; PostgreSQL's own travel through a pipe.
  if (process.platform === 'win32') await execute(pgCtl, ['kill', signal, String(pid)])
  else if (isAlive(pid)) process.kill(pid, `SIG${signal}`)
}
