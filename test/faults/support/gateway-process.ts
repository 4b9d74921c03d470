import { type TestDatabase, useDatabase } from '../../support/database/database.ts'
import { newStore } from '../../support/factories.ts'
import { fixture } from '../../support/fixture.ts'
import type { Program } from '../../support/servers/program.ts'
import { serve } from '../../support/servers/serve.ts'
import { type ClientProcess, startClientProcess } from './client-process.ts'

export interface GatewayProcess {
  program: Program
  clientProcess: ClientProcess
  database: TestDatabase
  /** A store, without products. */
  store: string
}

/** A gateway in a process of its own, and clients in another one, for the tests of a file. */
export function useGatewayProcess(): GatewayProcess {
  const database = useDatabase()
  return fixture(
    async () => {
      const program = await serve(database)
      return { program, clientProcess: await startClientProcess(), database, store: await newStore(program) }
    },
    async ({ clientProcess, program }) => {
      clientProcess?.end()
      await program?.end('SIGKILL')
    },
  )
}
