import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, chown, lstat, mkdir, realpath, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { messageOf } from '../errors.ts'

/** The directories of one embedded server. */
export type DataDirectory = Awaited<ReturnType<typeof openDataDirectory>>

/** The port is part of a socket's name; no server listens on it. */
export const socketPort = 5432

export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** Creates `postgres/` in the directory if it is missing. Throws when another user owns it. */
export async function openDataDirectory(dataDir: string) {
  const wanted = join(dataDir, 'postgres')
  try {
    await mkdir(wanted, { recursive: true, mode: 0o700 })
    // Paths are compared, by PostgreSQL too, so there must be one spelling of them.
    const path = await realpath(wanted)
    await chmod(path, 0o700)
    const { uid, gid } = await stat(path)
    const socketDir = socketDirOf(path)
    await createSocketDir(socketDir, { uid, gid })
    return { path, owner: { uid, gid }, socketDir, cluster: join(path, 'cluster'), serverLog: join(path, 'server.log') }
  } catch (error) {
    const reason = messageOf(error)
    const requirement = `the data directory ${dataDir} must be a directory that this user can write to`
    throw new Error(`${requirement}: ${reason}`, { cause: error })
  }
}

/** Throws when the directory has no database; creates nothing. */
export function requireDatabase(dataDir: string): void {
  if (clusterExists(join(dataDir, 'postgres', 'cluster'))) return
  const advice = 'Set DATA_DIR or DATABASE_URL; "catalog migrate" and "catalog serve" create a database.'
  throw new Error(`there is no database in ${resolve(dataDir)}. ${advice}`)
}

export function clusterExists(cluster: string): boolean {
  return existsSync(join(cluster, 'PG_VERSION'))
}

/** Gives a file that root created in another user's directory to that user, who could not use it otherwise. */
export async function giveTo(owner: Owner, path: string): Promise<void> {
  if (process.getuid?.() === 0) await chown(path, owner.uid, owner.gid)
}

/** The same for every process. The path of a socket may have 103 bytes on macOS and 107 on Linux. */
function socketDirOf(path: string): string {
  const inside = join(path, 'run')
  const isShort = Buffer.byteLength(join(inside, `.s.PGSQL.${socketPort}`)) <= 103
  return isShort ? inside : `/tmp/catalogue-${hash('sha256', path).slice(0, 16)}`
}

async function createSocketDir(path: string, owner: Owner): Promise<void> {
  const made = await mkdir(path, { recursive: true, mode: 0o700 })
  if (made !== undefined) await giveTo(owner, path)
  // In a world-writable directory another user may have created it first.
  const found = await lstat(path)
  const isOurs = found.uid === owner.uid || found.uid === process.getuid?.()
  if (found.isDirectory() && isOurs && (found.mode & 0o077) === 0) return
  throw new Error(`${path} must be a directory of this user with mode 0700`)
}
