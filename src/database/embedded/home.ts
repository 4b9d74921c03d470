import { createHash } from 'node:crypto'
import { chmod, chown, lstat, mkdir, realpath, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where one embedded server keeps everything. */
export interface Home {
  /** 0700; holds the cluster, its server log and, as far as the path is short enough, its socket. */
  readonly path: string
  readonly owner: Owner
  /** PostgreSQL's data directory. It comes into being whole, by a rename. */
  readonly cluster: string
  readonly serverLog: string
  /** Holds the password of the TCP listener on Windows; nowhere else is there one. */
  readonly passwordFile: string
  /** 0700; not used on Windows. */
  readonly socketDir: string
}

export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** Makes `postgres/` in the data directory, as far as it is missing. Throws when another user owns what is there. */
export async function openHome(dataDir: string): Promise<Home> {
  const wanted = join(dataDir, 'postgres')
  try {
    await mkdir(wanted, { recursive: true, mode: 0o700 })
    // PostgreSQL and we compare paths, so there must be one spelling of them.
    const path = await realpath(wanted)
    await chmod(path, 0o700)
    const { uid, gid } = await stat(path)
    const home = { path, owner: { uid, gid }, socketDir: socketDirOf(path) }
    await openSocketDir(home.socketDir, home.owner)
    return {
      ...home,
      cluster: join(path, 'cluster'),
      serverLog: join(path, 'server.log'),
      passwordFile: join(path, 'password'),
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`the data directory ${dataDir} must be a directory that this user can write to: ${reason}`, {
      cause: error,
    })
  }
}

/** Gives a file that root made in another user's home to that user, who could not use it otherwise. */
export async function giveTo(owner: Owner, path: string): Promise<void> {
  if (process.getuid?.() === 0) await chown(path, owner.uid, owner.gid)
}

/** A socket's path has room for 103 bytes on macOS and 107 on Linux. */
function socketDirOf(homePath: string): string {
  const near = join(homePath, 'run')
  if (Buffer.byteLength(join(near, '.s.PGSQL.5432')) <= 103) return near
  const hash = createHash('sha256').update(homePath).digest('hex').slice(0, 16)
  return join(tmpdir(), `catalogue-${hash}`)
}

async function openSocketDir(path: string, owner: Owner): Promise<void> {
  const made = await mkdir(path, { recursive: true, mode: 0o700 })
  if (made !== undefined) await giveTo(owner, path)
  // In a directory that everybody can write to, somebody else may have been there first.
  const found = await lstat(path)
  const ours = found.uid === owner.uid || found.uid === process.getuid?.()
  if (process.platform === 'win32' || (found.isDirectory() && ours && (found.mode & 0o077) === 0)) return
  throw new Error(`${path} must be a directory of this user with mode 0700`)
}
