import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Owner } from './data-directory.ts'

/** The user as whom PostgreSQL's programs run: they refuse to run as root. */
export interface Account {
  /** The command that changes the user and then executes the program: the process id stays. */
  readonly prefix: readonly string[]
  /** The owner of the cluster; absent for a plain user, who owns it already. */
  readonly owner?: Owner
}

/** Runs a program to its end. Throws with its stderr when it fails. */
export async function runProgram(account: Account, program: string, args: string[], input = ''): Promise<string> {
  const running = promisify(execFile)(...commandLine(account, program, args), spawnOptions())
  running.child.stdin?.on('error', () => {}).end(input) // it may end early: its exit code is what counts
  return (await running).stdout
}

export function commandLine({ prefix }: Account, program: string, args: string[]): [string, string[]] {
  const [first = program, ...others] = [...prefix, program, ...args]
  return [first, others]
}

/** An environment without PG* variables, which change what PostgreSQL does, and without our secrets. */
export function spawnOptions() {
  const { PATH, TZ, LD_LIBRARY_PATH } = process.env
  return { env: { PATH, TZ, LD_LIBRARY_PATH, LC_ALL: 'C' }, cwd: '/' }
}
