import { send } from '../../support/clients/http.ts'
import { type TestDatabase, useDatabase } from '../../support/database/database.ts'
import { storeBody } from '../../support/factories.ts'
import { fixture } from '../../support/fixture.ts'
import { type Program, startProgram } from '../../support/servers/program.ts'
import { type ClientProcess, startClientProcess } from './client-process.ts'

export interface GatewayProcess {
  program: Program
  clientProcess: ClientProcess
  database: TestDatabase
  /** A store, without products. */
  store: string
}

/** A gateway in a process of its own, and clients in another one, for the tests of a file. */
export function useGatewayProcess(token: string): GatewayProcess {
  const database = useDatabase()
  return fixture(
    async () => {
      const clientProcess = await startClientProcess()
      const program = await startProgram(['serve'], { DATABASE_URL: database.url, BOOTSTRAP_TOKEN: token })
      const { text } = await send(`${program.url}/v1/stores`, { method: 'POST', token, body: storeBody() })
      return { program, clientProcess, database, store: JSON.parse(text).data.store_uuid as string }
    },
    async ({ clientProcess, program }) => {
      clientProcess?.end()
      await program?.end('SIGKILL')
    },
  )
}
