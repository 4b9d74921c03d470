import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { unprivileged } from '../servers/program.ts'
import { canConnect } from './sql-client.ts'

interface Server {
  host: string
  port: number
  user: string
}

/**
 * Starts PgBouncer in front of a server, for all its databases, by default in transaction mode. `settings` are more
 * lines of its configuration.
 */
export async function startPooler(
  program: string,
  directory: string,
  server: Server,
  settings: Record<string, string | number> = {},
) {
  const pooler = { host: directory, port: 6432, user: server.user }
  const file = join(directory, 'pgbouncer.ini')
  await writeFile(file, configuration(pooler, server, settings))
  const [command, ...args] = unprivileged(program, '-q', file)
  const start = async () => {
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] })
    const exited = once(child, 'exit')
    while (!(await canConnect({ ...pooler, database: 'postgres' }))) {
      if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`)
      await sleep(50)
    }
    return async (signal: NodeJS.Signals) => {
      child.kill(signal)
      await exited
    }
  }
  let end = await start()
  return {
    connection: pooler,
    /** Kills it, and returns the function that starts it again. */
    kill: async () => {
      await end('SIGKILL')
      return async () => {
        end = await start()
      }
    },
    stop: () => end('SIGINT'),
  }
}

/** Few connections to the server, so that clients get each other's. The last value of a setting counts. */
function configuration(pooler: Server, server: Server, settings: Record<string, string | number>): string {
  return `[databases]
* = host=${server.host} port=${server.port} user=${server.user}
[pgbouncer]
unix_socket_dir = ${pooler.host}
listen_port = ${pooler.port}
listen_addr =
auth_type = any
pool_mode = transaction
max_client_conn = 2000
default_pool_size = 12
server_idle_timeout = 10
server_reset_query =
ignore_startup_parameters =
logfile =
${Object.entries(settings)
  .map(([name, value]) => `${name} = ${value}\n`)
  .join('')}`
}
