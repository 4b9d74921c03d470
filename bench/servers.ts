import type { ChildProcess } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { catalog, startProgram } from '../test/support/servers/program.ts'

/** A server in a process of its own. */
export interface Server extends AsyncDisposable {
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

/** What the npm script `start` runs. */
export const npmStart = [catalog, 'serve']

/** Starts a command and waits until it prints its URL. */
export async function startServer([command, ...args]: readonly string[], env: Record<string, string>): Promise<Server> {
  const began = performance.now()
  const settings = { BOOTSTRAP_TOKEN: token, HOST: '127.0.0.1', LOG_LEVEL: 'warn' }
  const root = fileURLToPath(new URL('..', import.meta.url))
  const log = ({ stderr }: ChildProcess) => stderr?.on('data', (text) => process.stderr.write(text))
  const { child, url, end } = await startProgram(args, { ...settings, ...env }, log, command, root)
  const stop = async () => void (await end())
  return {
    url: new URL(url).origin,
    began,
    memory: async () => {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
      const mib = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024
      return { now: mib('VmRSS'), peak: mib('VmHWM') }
    },
    forgetPeak: () => writeFile(`/proc/${child.pid}/clear_refs`, '5'),
    cpuSeconds: () => cpuSecondsOf(String(child.pid)),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

async function cpuSecondsOf(pid: string): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter(Boolean)
  const theirs = await Promise.all(children.map(cpuSecondsOf))
  return theirs.reduce((sum, seconds) => sum + seconds, (Number(fields[11]) + Number(fields[12])) / 100)
}
