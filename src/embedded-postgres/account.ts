import { lchown, readdir, readFile, stat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { DataDirectory, Owner } from './data-directory.ts'
import { type Account, runProgram } from './process.ts'

/** Finds the first account that can run `postgres` and write to the directory; makes it the owner of the cluster. */
export async function chooseAccount(directory: DataDirectory, postgres: string): Promise<Account> {
  if (process.getuid?.() !== 0 && hasName()) return { prefix: [] }
  for (const account of await candidates(directory)) {
    if (await isUsable(account, directory, postgres)) {
      await changeOwner(directory.cluster, account.owner)
      return account
    }
  }
  throw new Error(
    `PostgreSQL does not run as user ${process.getuid?.()}, and neither unshare nor setpriv could run it as another ` +
      `user with access to ${postgres} and ${directory.path}: set DATABASE_URL, or start the gateway as a plain user`,
  )
}

/** initdb requires a user that is in the password file; a container can run under any number. */
function hasName(): boolean {
  try {
    return userInfo().username !== ''
  } catch {
    return false
  }
}

/**
 * In the order of preference:
 * 1. root, and a plain user made this cluster: that user, who can then still use it afterwards;
 * 2. a user namespace, in which we have another number while our files stay ours;
 * 3. root where namespaces are forbidden (Docker): another account. It passes directories that only root can enter
 *    by CAP_DAC_OVERRIDE; no_setuid_fixup lets the capability count for access(2) too. A client of the socket
 *    has that power as well, so only in a directory of root's.
 */
async function candidates({ cluster, owner: directoryOwner }: DataDirectory): Promise<Account[]> {
  const self = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  const named = await namedAccounts()
  const mapTo = ({ uid, gid }: Owner) => ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`, '--']
  const namespaces = named.slice(0, 1).map((user) => ({ prefix: mapTo(user), owner: self }))
  if (self.uid !== 0) return namespaces
  const { uid, gid } = await stat(cluster).catch(() => self)
  const makers = uid === 0 ? [] : [asUser({ uid, gid })]
  const capable = '--inh-caps=+dac_override --ambient-caps=+dac_override --securebits=+no_setuid_fixup'.split(' ')
  const others = directoryOwner.uid === 0 ? named.map((user) => asUser(user, capable)) : []
  return [...makers, ...namespaces, ...others]
}

function asUser(owner: Owner, options: string[] = []): Account {
  const ids = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups']
  return { prefix: ['setpriv', ...ids, ...options, '--'], owner }
}

async function namedAccounts(): Promise<Owner[]> {
  const users = await readFile('/etc/passwd', 'utf8').catch(() => '')
  return [/^postgres:[^:]*:(\d+):(\d+):/m, /^nobody:[^:]*:(\d+):(\d+):/m].flatMap((pattern) => {
    const [found, uid, gid] = pattern.exec(users) ?? []
    return found ? [{ uid: Number(uid), gid: Number(gid) }] : []
  })
}

async function isUsable(account: Account, { path }: DataDirectory, postgres: string): Promise<boolean> {
  const check = ['-c', 'test -w "$1" && exec "$2" --version', 'sh', path, postgres]
  return (await runProgram(account, '/bin/sh', check).catch(() => '')) !== ''
}

/** The top directory comes last: an interrupted run is repeated from its start. */
async function changeOwner(cluster: string, owner: Owner | undefined): Promise<void> {
  const top = await stat(cluster).catch(() => undefined)
  if (!owner || !top || top.uid === owner.uid) return
  const entries = await readdir(cluster, { recursive: true })
  for (const entry of [...entries, '']) await lchown(join(cluster, entry), owner.uid, owner.gid)
}
