import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A server in a process of its own. */
export interface Server {
  url: string
  /** Resident memory now and at its highest since the last call of `forgetPeak`, in MiB. */
  memory(): Promise<{ now: number; peak: number }>
  forgetPeak(): Promise<void>
  /** CPU seconds that the process has used so far, its workers included. */
  cpuSeconds(): Promise<number>
  /** When it was started, by `performance.now`. */
  began: number
  stop(): Promise<void>
}

export const token = 'a-token-for-the-benchmark'

/** What the npm script `catalog` runs, and `start`. */
export const catalog = fileURLToPath(new URL('../bin/catalog', import.meta.url))
export const npmStart = [catalog, 'serve']

/** Begins with the Node.js that runs the benchmark. */
export const searchPath = `${dirname(process.execPath)}:${process.env.PATH}`

/** Starts a command and waits until it prints its URL. */
export async function startServer(
  [command = '', ...args]: readonly string[],
  env: Record<string, string>,
): Promise<Server> {
  const began = performance.now()
  const settings = { PATH: searchPath, BOOTSTRAP_TOKEN: token, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'warn' }
  const child = spawn(command, args, {
    env: { ...process.env, ...settings, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: fileURLToPath(new URL('..', import.meta.url)),
  })
  const url = await urlOf(child)
  return {
    url,
    began,
    memory: async () => {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
      const mib = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024
      return { now: mib('VmRSS'), peak: mib('VmHWM') }
    },
    forgetPeak: () => writeFile(`/proc/${child.pid}/clear_refs`, '5'),
    cpuSeconds: () => cpuSecondsOf(String(child.pid)),
    stop: async () => {
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

async function cpuSecondsOf(pid: string): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter(Boolean)
  const theirs = await Promise.all(children.map(cpuSecondsOf))
  return theirs.reduce((sum, seconds) => sum + seconds, (Number(fields[11]) + Number(fields[12])) / 100)
}

async function urlOf(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('the server has no standard output')
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0]
    if (url) {
      child.stdout.resume()
      return url
    }
  }
  throw new Error('the server ended before it listened')
}
