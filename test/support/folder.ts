import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fixture } from './fixture.ts'

/** A folder for the tests of the calling file or `describe`: made before all or each, removed afterwards. */
export function useFolder(per: 'all' | 'each' = 'all') {
  return fixture(
    async () => {
      const path = await mkdtemp(join(tmpdir(), 'catalogue-'))
      const file = (name: string) => join(path, name)
      // A test that is run again gets another one.
      return { path, file, newFolder: (name: string) => mkdtemp(file(`${name}-`)) }
    },
    ({ path }) => rm(path, { recursive: true, force: true }),
    per,
  )
}
