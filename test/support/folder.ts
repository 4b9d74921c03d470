import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fixture } from './fixture.ts'

/** A folder for the tests of the calling file or `describe`: made before all or each, removed afterwards. */
export function useFolder(per: 'all' | 'each' = 'all') {
  return fixture(
    async () => {
      const path = await mkdtemp(join(tmpdir(), 'catalogue-'))
      return { path, file: (name: string) => join(path, name) }
    },
    ({ path }) => rm(path, { recursive: true, force: true }),
    per,
  )
}
