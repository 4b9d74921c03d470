import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { refusal, runCli } from '../support/clients/cli.ts'
import { useFolder } from '../support/folder.ts'

const folder = useFolder('each')

const file = new URL('../../examples/products.csv', import.meta.url).pathname
const store = '01a1fdce-152f-72ec-a6dd-356a6c047a6d'

describe('a command without DATABASE_URL', () => {
  it.each([
    ['backup', join(tmpdir(), 'a-backup-that-is-never-made.sql')],
    ['check'],
    ['export', '--store', store],
    ['filter-service'],
    ['import', file, '--store', store],
    ['restore', file],
    ['token', 'create', '--name', 'forgotten'],
    ['token', 'list'],
    ['token', 'revoke', store],
  ])('creates no database: %s', async (...args) => {
    const DATA_DIR = folder.file('missing')
    const { code, stdout, stderr } = await runCli(args, { DATA_DIR })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(`database: embedded PostgreSQL in ${DATA_DIR}\n`)
    expect(stderr).toContain(`there is no database in ${DATA_DIR}. Set DATA_DIR or DATABASE_URL`)
    expect(await readdir(folder.path)).toEqual([])
  })

  it('works on the database that `migrate` has created, and names it on stderr', async () => {
    const env = { DATA_DIR: folder.file('data') }
    const named = `database: embedded PostgreSQL in ${env.DATA_DIR}\n`
    const migrated = expect.stringContaining(`${named}running 0001-catalogue\n`)
    expect(await runCli(['migrate'], env)).toMatchObject({ code: 0, stderr: migrated })
    const imported = await runCli(['import', file, '--store', store], env)
    expect(imported).toMatchObject(refusal(`there is no store "${store}"`))
    expect(await runCli(['token', 'list', '--json'], env)).toEqual({
      code: 0,
      stdout: '{"tokens":[]}\n',
      stderr: named,
    })
  })
})
