import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { unprivileged } from '../servers/program.ts'
import { canConnect } from './sql-client.ts'

interface Server {
  host: string
  port: number
  user: string
}

export interface Standby {
  connection: Server
  /** Starts it again; what it replays is so much later than on the primary. */
  start(delayMs?: number): Promise<void>
  stop(): Promise<void>
}

/**
 * A streaming replica of an embedded server, which is not started yet. The server is shut down meanwhile: its files are
 * a base backup then.
 */
export async function createStandby(
  binDir: string,
  dataDir: string,
  primary: Server,
  folder: string,
): Promise<Standby> {
  const [cluster, sockets] = [join(folder, 'replica'), join(folder, 'run')]
  execFileSync('cp', ['-a', join(dataDir, 'postgres', 'cluster'), cluster])
  await writeFile(join(cluster, 'standby.signal'), '')
  await mkdir(sockets)
  const connection = { ...primary, host: sockets }
  let child: ChildProcess | undefined
  return {
    connection,
    start: async (delayMs = 0) => {
      const settings = {
        primary_conninfo: `host=${primary.host} port=${primary.port} user=${primary.user}`,
        recovery_min_apply_delay: `${delayMs}ms`,
        wal_retrieve_retry_interval: '100ms',
        unix_socket_directories: sockets,
        listen_addresses: '',
        log_min_messages: 'panic',
        shared_buffers: '32MB',
      }
      const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
      const [program, ...args] = unprivileged(join(binDir, 'postgres'), '-D', cluster, ...options)
      const started = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
      child = started
      while (!(await canConnect({ ...connection, database: 'postgres' }))) {
        if (started.exitCode !== null) throw new Error(`the replica ended with ${started.exitCode}`)
        await sleep(20)
      }
    },
    stop: async () => {
      if (!child || child.exitCode !== null) return
      const exit = once(child, 'exit')
      child.kill('SIGINT')
      await exit
    },
  }
}
