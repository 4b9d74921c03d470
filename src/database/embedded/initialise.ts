import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Account } from './account.ts'
import type { Binaries } from './binaries.ts'
import type { Home } from './home.ts'
import { run } from './run.ts'

/** The superuser and the database that every cluster has. */
export const catalogue = 'catalogue'

const draftPrefix = 'initdb-'

/**
 * Makes the cluster unless it is there. It is made under another name and renamed when it is complete: what an
 * interrupted run leaves is never taken for a cluster, and of two processes at once one wins and both go on.
 */
export async function initialise(home: Home, binaries: Binaries, account: Account): Promise<void> {
  if (!clusterExists(home)) {
    const draft = join(home.path, `${draftPrefix}${randomUUID()}`)
    try {
      await createCluster(draft, home, binaries, account)
      await rename(draft, home.cluster)
      await makeRenameDurable(home.path)
    } catch (error) {
      await removeDirectory(draft)
      if (!clusterExists(home)) throw error
    }
  }
  const entries = await readdir(home.path)
  const leftovers = entries.filter((entry) => entry.startsWith(draftPrefix))
  await Promise.all(leftovers.map((entry) => removeDirectory(join(home.path, entry))))
}

/** Tells whether there is a whole cluster. */
export function clusterExists(home: Home): boolean {
  return existsSync(join(home.cluster, 'PG_VERSION'))
}

async function createCluster(draft: string, home: Home, { initdb, postgres }: Binaries, account: Account) {
  const version = await run(account, postgres, ['--version'])
  const major = Number(/(\d+)/.exec(version)?.[1])
  const access = await accessOptions(home)
  await run(account, initdb, [
    '-D',
    draft,
    `--username=${catalogue}`,
    '--encoding=UTF8',
    ...localeOptions(major),
    ...access,
  ])
  const single = ['--single', '-D', draft, '-c', 'exit_on_error=on', '-c', 'log_checkpoints=off', 'postgres']
  await run(account, postgres, single, `create database ${catalogue}`)
}

/** Both providers order by code point and fold the case of non-ASCII letters; only the builtin one is everywhere. */
function localeOptions(major: number): string[] {
  const libc = `--locale=${process.platform === 'linux' ? 'C.UTF-8' : 'C'}`
  return major < 17 ? [libc] : [libc, '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
}

async function accessOptions(home: Home): Promise<string[]> {
  if (process.platform !== 'win32') return ['--auth-local=trust', '--auth-host=reject']
  if (!existsSync(home.passwordFile)) {
    await writeFile(home.passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 })
  }
  return ['--auth=scram-sha-256', `--pwfile=${home.passwordFile}`]
}

async function makeRenameDurable(directory: string): Promise<void> {
  if (process.platform === 'win32') return // it cannot open directories
  const handle = await open(directory)
  await handle.sync().finally(() => handle.close())
}

/** An initdb whose starter was killed may still be writing there; then the next start removes it. */
async function removeDirectory(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
}
