import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import fs from 'node:fs'
import { Writable } from 'node:stream'
import { expect } from 'vitest'
import { run } from '../../../src/cli/program.ts'
import { catalog, searchPath } from '../servers/program.ts'

export interface CliOutcome {
  /** Null when a signal ended the process. */
  code: number | null
  stdout: string
  stderr: string
}

/**
 * Runs the command line in this process, one command at a time, with no environment but the one given: a process of its
 * own takes a second to start. What is about the process, its memory or several at once is run by `runCliProcess`.
 */
export function runCli(args: readonly string[], env: Record<string, string>): Promise<CliOutcome> {
  const outcome = lastRun.then(() => runHere(args, env))
  lastRun = outcome.catch(() => {})
  return outcome
}

let lastRun: Promise<unknown> = Promise.resolve()

async function runHere(args: readonly string[], env: Record<string, string>): Promise<CliOutcome> {
  const [stdout, stderr] = [new Kept(), new Kept()]
  const { writeSync } = fs
  const { env: ownEnv } = process
  const own = Object.getOwnPropertyDescriptors(process)
  Object.defineProperty(process, 'stdout', { value: stdout, configurable: true, enumerable: true })
  Object.defineProperty(process, 'stderr', { value: stderr, configurable: true, enumerable: true })
  process.env = { PATH: searchPath, ...env }
  process.exitCode = undefined
  // The log writes to the file descriptor itself.
  fs.writeSync = ((fd: number, data: string, ...rest: []) =>
    fd === 2 ? stderr.keep(data) : writeSync(fd, data, ...rest)) as typeof writeSync
  try {
    await run(args)
    return { code: Number(process.exitCode ?? 0), stdout: stdout.text, stderr: stderr.text }
  } finally {
    fs.writeSync = writeSync
    process.exitCode = undefined
    process.env = ownEnv
    Object.defineProperty(process, 'stdout', own.stdout)
    Object.defineProperty(process, 'stderr', own.stderr)
  }
}

/** A stream that keeps what is written to it. */
class Kept extends Writable {
  text = ''

  constructor() {
    super({ decodeStrings: false })
  }

  keep(data: string | Uint8Array): number {
    this.text += typeof data === 'string' ? data : Buffer.from(data).toString()
    return Buffer.byteLength(data)
  }

  override _write(data: string | Uint8Array, _: BufferEncoding, done: () => void): void {
    this.keep(data)
    done()
  }
}

/** Runs the command line in a process of its own, on the database of the environment given. */
export function runCliProcess(
  args: readonly string[],
  env: Record<string, string>,
  program = catalog,
): Promise<CliOutcome> {
  return outcomeOf(startCli(args, env, undefined, program))
}

export function startCli(
  args: readonly string[],
  env: Record<string, string>,
  stdio: StdioOptions = ['ignore', 'pipe', 'pipe'],
  program = catalog,
): ChildProcess {
  return spawn(program, args, { env: { PATH: searchPath, ...env }, stdio })
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

/** How a command ends that refuses what it is given, or that fails (1): nothing but this on stderr. */
export function refusal(stderr: string | RegExp, code = 2) {
  const said = typeof stderr === 'string' ? expect.stringContaining(stderr) : expect.stringMatching(stderr)
  return { code, stdout: '', stderr: said }
}
