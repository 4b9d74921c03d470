import { lchown, readdir, readFile, stat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { Home, Owner } from './home.ts'
import { run } from './run.ts'

/** As whom PostgreSQL's programs run: they refuse to run as root. */
export interface Account {
  /** The command that changes the user and then becomes the program: the process id stays. */
  readonly prefix: readonly string[]
  /** Whom the child process changes to, when Node does that. */
  readonly ids?: Owner
  /** Who has to own the cluster; absent for a plain user, who owns it anyway. */
  readonly owner?: Owner
}

/** Finds the first account that can run `postgres` and write to the home, and gives it the cluster. */
export async function chooseAccount(home: Home, postgres: string): Promise<Account> {
  if (process.getuid?.() !== 0 && hasName()) return { prefix: [] }
  for (const account of await accounts(home)) {
    if (await works(account, home, postgres)) {
      await claim(home.cluster, account.owner)
      return account
    }
  }
  throw new Error(
    `PostgreSQL does not run as user ${process.getuid?.()}, and neither unshare nor setpriv could run it as another ` +
      `user who reaches ${postgres} and ${home.path}: set DATABASE_URL, or start the gateway as a plain user`,
  )
}

/** initdb insists on a user who is in the password file; a container can run under any number. */
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
 *    by CAP_DAC_OVERRIDE; no_setuid_fixup lets the capability count for access(2) too. Whoever reaches the socket
 *    has that power as well, so only in a home that is root's.
 */
async function accounts(home: Home): Promise<Account[]> {
  const self = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  const named = await namedAccounts()
  const namespaces = named.slice(0, 1).map(({ uid, gid }) => ({
    prefix: ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`, '--'],
    owner: self,
  }))
  if (self.uid !== 0) return namespaces
  const maker = await stat(home.cluster).catch(() => self)
  const ids = { uid: maker.uid, gid: maker.gid }
  const makers = maker.uid === 0 ? [] : [{ prefix: [], ids, owner: ids }]
  const capable = '--inh-caps=+dac_override --ambient-caps=+dac_override --securebits=+no_setuid_fixup'.split(' ')
  const others = named.map((owner) => ({
    prefix: ['setpriv', `--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups', ...capable, '--'],
    owner,
  }))
  return [...makers, ...namespaces, ...(home.owner.uid === 0 ? others : [])]
}

async function namedAccounts(): Promise<Owner[]> {
  const lines = await readFile('/etc/passwd', 'utf8').catch(() => '')
  const users = lines.split('\n').map((line) => line.split(':'))
  return ['postgres', 'nobody'].flatMap((name) =>
    users.filter((user) => user[0] === name).map((user) => ({ uid: Number(user[2]), gid: Number(user[3]) })),
  )
}

async function works(account: Account, home: Home, postgres: string): Promise<boolean> {
  const check = 'test -w "$1" && exec "$2" --version'
  return run(account, '/bin/sh', ['-c', check, 'sh', home.path, postgres]).then(
    () => true,
    () => false,
  )
}

/** The top comes last: what an interrupted run left half done is done again. */
async function claim(cluster: string, owner: Owner | undefined): Promise<void> {
  const top = await stat(cluster).catch(() => undefined)
  if (!owner || !top || top.uid === owner.uid) return
  const entries = await readdir(cluster, { recursive: true })
  const paths = [...entries.map((entry) => join(cluster, entry)), cluster]
  for (const path of paths) await lchown(path, owner.uid, owner.gid)
}
