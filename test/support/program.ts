import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import packageJson from '../../package.json' with { type: 'json' }

export interface Program {
  child: ChildProcess
  /** Where it listens, as its line on stdout says. */
  url: string
  stderr(): string
  /** Sends the signal and waits for the end: `[exit code, signal]`. */
  end(signal?: NodeJS.Signals): Promise<[number | null, NodeJS.Signals | null]>
}

const root = fileURLToPath(new URL('../..', import.meta.url))
/** How `npm run catalog` runs the program. */
const catalog = packageJson.scripts.catalog.split(' ').slice(1)

/** Runs a command that serves, in a process of its own, until its line on stdout names its URL. Throws with its last words when it ends before. */
export async function startProgram(
  args: readonly string[],
  env: Record<string, string>,
  onSpawn: (child: ChildProcess) => void = () => {},
): Promise<Program> {
  const environment = { PATH: process.env.PATH, PORT: '0', ...env }
  const child = spawn(process.execPath, [...catalog, ...args], { cwd: root, env: environment })
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
    stderr: () => stderr,
    end: async (signal = 'SIGTERM') => {
      if (child.exitCode !== null || child.signalCode !== null) return [child.exitCode, child.signalCode]
      child.kill(signal)
      return (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    },
  }
}
