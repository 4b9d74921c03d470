import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { files, programs, root } from '../support/sources.ts'

const { PATH, NODE_COMPILE_CACHE } = process.env

it('the source does nothing when it is loaded, but for the programs', () => {
  const modules = files.filter((file) => !programs.includes(file)).map((file) => join(root, file))
  const script = `
    const before = [process.stdin, process.stdout, process.stderr] && process.getActiveResourcesInfo()
    for (const module of ${JSON.stringify(modules)}) await import(module)
    const after = process.getActiveResourcesInfo()
    if (after.length === before.length) process.exit(0)
    process._rawDebug(JSON.stringify(after))
    process.exit(3)`
  const env = { PATH, NODE_COMPILE_CACHE, DATA_DIR: '/nowhere', DATABASE_URL: 'no URL', PORT: 'no port' }
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    env,
    encoding: 'utf8',
    timeout: 110_000,
  })
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
})

it('a thread of the pool loads nothing that only some requests need', () => {
  const script = `
    import { registerHooks } from 'node:module'
    registerHooks({ load: (url, context, next) => {
      console.log(url)
      return next(url, context)
    } })
    await import('./src/app/threads/pool-thread.ts')`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    env: { PATH, NODE_COMPILE_CACHE },
    encoding: 'utf8',
  })
  const packages = new Set(stdout.split('\n').map((url) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]))
  expect([...packages]).toEqual(expect.arrayContaining(['graphql', 'kysely', 'pg']))
  expect(
    ['undici', 'cockatiel', 'graphql-jit', 'stream-json', 'csv-stringify'].filter((name) => packages.has(name)),
  ).toEqual([])
})
