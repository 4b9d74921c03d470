import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '../../src/database/embedded.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the PostgreSQL of this run listens: a socket directory. */
    postgres: { host: string; port: number; user: string }
  }
}

/** One PostgreSQL for the whole run, with a database for each test file. TEST_POSTGRES_BIN names the programs of another version. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'catalogue-test-'))
  const binDir = process.env.TEST_POSTGRES_BIN
  const server = await startEmbedded({ dataDir, ...(binDir && { binDir }) })
  const { host, port, user } = server.connection
  project.provide('postgres', { host, port, user })
  return async () => {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}
