import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface CliOutcome {
  code: number
  stdout: string
  stderr: string
}

const cli = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))

/** Runs the command line in a process of its own, on the database of the environment given. */
export function runCli(args: readonly string[], env: Record<string, string>): Promise<CliOutcome> {
  return new Promise((resolve) => {
    execFile(process.execPath, [cli, ...args], { env: { PATH: process.env.PATH, ...env } }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr }),
    )
  })
}
