import { afterAll } from 'vitest'
import type { TestDatabase } from '../database/database.ts'
import { token } from './gateway.ts'
import { type Program, startProgram } from './program.ts'

/** Starts a gateway in its own process on a database; its caller has the token of the tests. */
export function serve(
  { url }: Pick<TestDatabase, 'url'>,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Program> {
  return startProgram(['serve', ...args], { DATABASE_URL: url, BOOTSTRAP_TOKEN: token, ...env })
}

/** A function that starts such gateways; they are killed after the tests of the calling file or `describe`. */
export function useServe(database: TestDatabase): () => Promise<Program> {
  const programs: Program[] = []
  afterAll(() => Promise.all(programs.map((program) => program.end('SIGKILL'))))
  return async () => {
    const program = await serve(database)
    programs.push(program)
    return program
  }
}
