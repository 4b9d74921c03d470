import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Caller, callerOf } from '../clients/caller.ts'
import { send } from '../clients/http.ts'

/** Its caller has the token that BOOTSTRAP_TOKEN names. */
export interface Program extends Caller {
  child: ChildProcess
  /** Where it listens, as its line on stdout says. */
  url: string
  stdout(): string
  stderr(): string
  /** Sends the signal and waits for the end: `[exit code, signal]`. */
  end(signal?: NodeJS.Signals): Promise<[number | null, NodeJS.Signals | null]>
}

/** What `npm run catalog` runs. */
export const catalog = fileURLToPath(new URL('../../../bin/catalog', import.meta.url))

/** Finds the Node that runs the tests first. */
export const searchPath = `${dirname(process.execPath)}:${process.env.PATH}`

/** Runs a server in its own process until its stdout names its URL. Throws with its stderr when it ends before. */
export async function startProgram(
  args: readonly string[],
  env: Record<string, string>,
  onSpawn: (child: ChildProcess) => void = () => {},
  program = catalog,
  cwd?: string,
): Promise<Program> {
  const child = spawn(program, args, { cwd, env: { PATH: searchPath, PORT: '0', ...env } })
  onSpawn(child)
  let [stdout, stderr] = ['', '']
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${stderr}`)))
    child.stdout.on('data', (chunk) => {
      stdout += chunk
      const found = /http:\/\/[^\s)]+/.exec(stdout)?.[0]
      if (found) resolve(found)
    })
  })
  return {
    child,
    url,
    ...callerOf((path, call) => send(url + path, { token: env.BOOTSTRAP_TOKEN ?? null, ...call })),
    stdout: () => stdout,
    stderr: () => stderr,
    end: async (signal = 'SIGTERM') => {
      if (child.exitCode !== null || child.signalCode !== null) return [child.exitCode, child.signalCode]
      child.kill(signal)
      return (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    },
  }
}

/** The command of a program that refuses to run as root: a user namespace gives it another user with the same files. */
export function unprivileged(...command: [string, ...string[]]): [string, ...string[]] {
  return process.getuid?.() === 0 ? ['unshare', '--map-user=65534', ...command] : command
}
