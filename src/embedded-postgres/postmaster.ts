import { readFileSync, unlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type DataDirectory, socketPort } from './data-directory.ts'
import { runProgram } from './process.ts'

/** The process id of the server that runs on the cluster, whether it answers or not. */
export async function findPostmaster(directory: DataDirectory): Promise<number | undefined> {
  const pid = Number.parseInt(await readFile(pidFileOf(directory), 'utf8').catch(() => ''), 10)
  return pid > 0 && (await isPostmaster(pid, directory)) ? pid : undefined
}

/** Throws if the server that runs on the cluster listens elsewhere: another program has started it. */
export async function requireOwnSocket(directory: DataDirectory): Promise<void> {
  const content = await readFile(pidFileOf(directory), 'utf8').catch(() => '')
  const [pid, , , port, socketDir, , , status = ''] = content.split('\n')
  if (!status.startsWith('ready') || (Number(port) === socketPort && socketDir === directory.socketDir)) return
  const server = `another program has started PostgreSQL in ${directory.cluster} (process ${pid}, port ${port})`
  throw new Error(`${server}: stop it, or set DATABASE_URL to it`)
}

/** Removes lock files whose process id belongs to another program, as after a reboot: PostgreSQL would respect them. */
export async function removeStaleLocks(directory: DataDirectory): Promise<void> {
  for (const file of [pidFileOf(directory), join(directory.socketDir, `.s.PGSQL.${socketPort}.lock`)]) {
    const content = await readFile(file, 'utf8').catch(() => '')
    const pid = Number.parseInt(content, 10)
    if (pid > 0 && send(pid, 0) && !(await isPostmaster(pid, directory))) removeUnchanged(file, content)
  }
}

/** Stops the server and awaits its end: a fast shutdown, after 10 s an immediate one, which needs a recovery later. */
export async function shutDown(directory: DataDirectory): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    const pid = await findPostmaster(directory)
    if (pid === undefined) return
    send(pid, signal)
    for (const deadline = Date.now() + 10_000; Date.now() < deadline; await sleep(10)) {
      if (!(await isPostmaster(pid, directory))) return
    }
  }
  throw new Error(`PostgreSQL in ${directory.cluster} did not stop within 20 s`)
}

function pidFileOf({ cluster }: DataDirectory): string {
  return join(cluster, 'postmaster.pid')
}

/** Process ids are reused, so the process must be a server of this very cluster. */
async function isPostmaster(pid: number, { cluster }: DataDirectory): Promise<boolean> {
  if (process.platform === 'linux') {
    const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0')
    return words[words.indexOf('-D') + 1] === cluster
  }
  const command = await runProgram({ prefix: [] }, 'ps', ['-o', 'command=', '-p', String(pid)]).catch(() => '')
  return command.includes(`-D ${cluster} `)
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

/** Synchronous: a starting server may write its own file at any time, which must not be removed. */
function removeUnchanged(file: string, content: string): void {
  try {
    if (readFileSync(file, 'utf8') === content) unlinkSync(file)
  } catch {
    // Another process has removed it.
  }
}
