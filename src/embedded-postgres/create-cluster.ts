import { randomUUID } from 'node:crypto'
import { open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../errors.ts'
import { clusterExists, type DataDirectory } from './data-directory.ts'
import { failureOf } from './failure.ts'
import { type Account, runProgram } from './process.ts'

/** The superuser and the database of every cluster. */
export const catalogue = 'catalogue'

const draftPrefix = 'initdb-'

/** Creates the cluster unless it exists: under another name, and renamed when it is complete. */
export async function createCluster(directory: DataDirectory, binDir: string, account: Account): Promise<void> {
  if (!clusterExists(directory.cluster)) {
    const draft = join(directory.path, `${draftPrefix}${randomUUID()}`)
    try {
      await initialise(draft, binDir, account)
      await rename(draft, directory.cluster)
      const renamed = await open(directory.path)
      await renamed.sync().finally(() => renamed.close())
    } catch (error) {
      await removeDirectory(draft)
      const log = error instanceof Error && 'stderr' in error ? String(error.stderr) : messageOf(error)
      const what = `PostgreSQL could not create ${directory.cluster}`
      if (!clusterExists(directory.cluster)) throw await failureOf(what, log, directory.path)
    }
  }
  const entries = await readdir(directory.path)
  const drafts = entries.filter((entry) => entry.startsWith(draftPrefix))
  await Promise.all(drafts.map((entry) => removeDirectory(join(directory.path, entry))))
}

async function initialise(draft: string, binDir: string, account: Account): Promise<void> {
  const [initdb, postgres] = [join(binDir, 'initdb'), join(binDir, 'postgres')]
  const version = await runProgram(account, postgres, ['--version'])
  const locale = localeOptions(Number(/(\d+)/.exec(version)?.[1]))
  const access = ['--auth-local=trust', '--auth-host=reject']
  await runProgram(account, initdb, ['-D', draft, `--username=${catalogue}`, '--encoding=UTF8', ...locale, ...access])
  const single = ['--single', '-D', draft, '-c', 'exit_on_error=on', '-c', 'log_checkpoints=off', 'postgres']
  await runProgram(account, postgres, single, `create database ${catalogue}`)
}

/** Both providers order by code point and fold non-ASCII case; PostgreSQL before 17 has only the one of libc. */
function localeOptions(major: number): string[] {
  const libc = `--locale=${process.platform === 'linux' ? 'C.UTF-8' : 'C'}`
  return major < 17 ? [libc] : [libc, '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
}

/** An initdb whose parent was killed may still be writing: then the next start removes its directory. */
async function removeDirectory(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
}
