import { spawn } from 'node:child_process'
import type { Account } from './account.ts'

/** Runs a program to its end and returns what it wrote. Throws with its last lines when it fails. */
export async function run(account: Account, program: string, args: string[], input = ''): Promise<string> {
  const child = spawn(...commandLine(account, program, args), { ...spawnOptions(account), stdio: 'pipe' })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  child.stdin.on('error', () => {}) // it ended early; its exit code tells
  child.stdin.end(input)
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  child.on('error', reject)
  child.on('close', (code, signal) => {
    if (code === 0) resolve(output)
    else reject(new Error(`${program} ended with ${signal ?? `exit code ${code}`}:\n${lastLines(output)}`))
  })
  return promise
}

/** What to spawn, as the first two arguments of `spawn`. */
export function commandLine(account: Account, program: string, args: string[]): [string, string[]] {
  const [first = program, ...others] = account.prefix
  return [first, account.prefix.length === 0 ? args : [...others, program, ...args]]
}

/** The user and a clean surrounding: no PG* variables, which change what PostgreSQL does, and none of our secrets. */
export function spawnOptions(account: Account) {
  const kept = ['PATH', 'TZ', 'LD_LIBRARY_PATH', 'SystemRoot', 'TEMP', 'TMP']
  const env = Object.fromEntries(kept.flatMap((name) => (name in process.env ? [[name, process.env[name]]] : [])))
  return { ...account.ids, env: { ...env, LC_ALL: 'C' }, cwd: '/', windowsHide: true }
}

export function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-10).join('\n')
}
