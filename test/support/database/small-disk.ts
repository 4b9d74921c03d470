import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { open, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { packagedBinDir } from '../../../src/embedded-postgres/binaries.ts'
import { canConnect } from './sql-client.ts'

/** What a plain user needs to mount a file system. Some systems forbid it. */
const user = ['--user', '--map-user=65534', '--map-group=65534', '--keep-caps']
export const inNamespaces = ['unshare', ...user, '--mount', '--pid', '--fork', '--kill-child'] as const

export function canMount(): boolean {
  const [program, ...options] = inNamespaces
  return spawnSync(program, [...options, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0
}

/** Starts PostgreSQL whenever it ends, as a service manager does. */
const script = `
mount -t tmpfs -o "size=$2,mode=0700" tmpfs "$1" || exit 1
"$3/initdb" -D "$1/cluster" --username=catalogue --auth=trust --encoding=UTF8 --locale=C.UTF-8 --wal-segsize=1 --no-sync > /dev/null || exit 1
while :; do
  "$3/postgres" -D "$1/cluster" -c listen_addresses= -c unix_socket_directories="$4" -c shared_buffers=16MB \\
    -c min_wal_size=4MB -c max_wal_size=8MB -c log_min_messages=panic
  sleep 0.2
done`

/** A PostgreSQL on a disk of its own, in memory. `mountPoint` and `socketDir` are empty directories. */
export async function startOnSmallDisk(size: string, mountPoint: string, socketDir: string) {
  const binDir = process.env.TEST_POSTGRES_BIN ?? (await packagedBinDir())
  const [program, ...options] = inNamespaces
  const command = [...options, 'sh', '-c', script, 'sh', mountPoint, size, binDir, socketDir]
  const child = spawn(program, command, { stdio: ['ignore', 'ignore', 'inherit'] })
  const connection = { host: socketDir, port: 5432, user: 'catalogue', database: 'postgres' }
  const exited = once(child, 'exit')
  while (!(await canConnect(connection))) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`)
    await sleep(50)
  }
  const filler = `/proc/${child.pid}/root${mountPoint}/filler`
  return {
    connection,
    /** Takes all the room there is. */
    fill: async () => {
      const file = await open(filler, 'a')
      for (let size = 1024 * 1024; size >= 4096; size /= 2) {
        const piece = Buffer.alloc(size)
        while ((await file.write(piece).catch(() => ({ bytesWritten: 0 }))).bytesWritten === size);
      }
      await file.close()
    },
    free: () => rm(filler, { force: true }),
    stop: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}
