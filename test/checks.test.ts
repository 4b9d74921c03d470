import { exec } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { searchPath } from './support/servers/program.ts'
import { root } from './support/sources.ts'

const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { scripts: { check: string } }

/** They run beside the other tests, which often wait. */
describe('npm run check', { timeout: 600_000 }, () => {
  it.each(scripts.check.split(' && '))('%s', async (command) => {
    const env = { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${searchPath}` }
    const outcome = await promisify(exec)(command, { cwd: root, env }).then(
      () => 'nothing to report',
      ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
    )
    expect(outcome).toBe('nothing to report')
  })
})
