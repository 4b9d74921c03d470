import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { catalog, searchPath } from '../servers/program.ts'

export interface CliOutcome {
  /** Null when a signal ended the process. */
  code: number | null
  stdout: string
  stderr: string
}

/** Runs the command line in a process of its own, on the database of the environment given. */
export function runCli(args: readonly string[], env: Record<string, string>): Promise<CliOutcome> {
  return outcomeOf(startCli(args, env))
}

export function startCli(
  args: readonly string[],
  env: Record<string, string>,
  stdio: StdioOptions = ['ignore', 'pipe', 'pipe'],
): ChildProcess {
  return spawn(catalog, args, { env: { PATH: searchPath, ...env }, stdio })
}

export function outcomeOf(child: ChildProcess): Promise<CliOutcome> {
  let [stdout, stderr] = ['', '']
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}
