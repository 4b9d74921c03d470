import { spawn } from 'node:child_process'
import type { Owner } from './data-directory.ts'

/** The user as whom PostgreSQL's programs run: they refuse to run as root. */
export interface Account {
  /** The command that changes the user and then executes the program: the process id stays. */
  readonly prefix: readonly string[]
  /** The user to whom Node changes the child process. */
  readonly ids?: Owner
  /** Who has to own the cluster; absent for a plain user, who owns it already. */
  readonly owner?: Owner
}

/** Runs a program to its end and returns its output. Throws with the last lines of that when it fails. */
export async function run(account: Account, program: string, args: string[], input = ''): Promise<string> {
  const child = spawn(...commandLine(account, program, args), { ...spawnOptions(account), stdio: 'pipe' })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  child.stdin.on('error', () => {}) // the program ended early: its exit code is what counts
  child.stdin.end(input)
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  child.on('error', reject)
  child.on('close', (code, signal) => {
    if (code === 0) resolve(output)
    else reject(new Error(`${program} ended with ${signal ?? `exit code ${code}`}:\n${lastLines(output)}`))
  })
  return promise
}

/** The first two arguments of `spawn`. */
export function commandLine(account: Account, program: string, args: string[]): [string, string[]] {
  const [first = program, ...others] = account.prefix
  return [first, account.prefix.length === 0 ? args : [...others, program, ...args]]
}

/** The user, and an environment without PG* variables, which change what PostgreSQL does, and without our secrets. */
export function spawnOptions(account: Account) {
  const kept = ['PATH', 'TZ', 'LD_LIBRARY_PATH']
  const env = Object.fromEntries(kept.flatMap((name) => (name in process.env ? [[name, process.env[name]]] : [])))
  return { ...account.ids, env: { ...env, LC_ALL: 'C' }, cwd: '/' }
}

export function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-10).join('\n')
}
