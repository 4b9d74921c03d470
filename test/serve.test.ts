import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from './support/database.ts'

const main = fileURLToPath(new URL('../src/cli.ts', import.meta.url))

interface Running {
  child: ChildProcess
  url: string
  stdout(): string
  stderr(): string
}

let running: ChildProcess[]
let folder: string
let database: TestDatabase
beforeEach(async () => {
  running = []
  folder = await mkdtemp(join(tmpdir(), 'catalogue-serve-'))
  database = await createTestDatabase({ empty: true })
})
afterEach(async () => {
  for (const child of running) if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit')
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

/** Starts the program as `npm start` does and waits for the line on stdout that names its URL. */
async function start(env: Record<string, string>, ...args: string[]): Promise<Running> {
  const child = spawn(process.execPath, [main, 'serve', ...args], {
    env: { PATH: process.env.PATH, PORT: '0', ...env },
  })
  running.push(child)
  let [stdout, stderr] = ['', '']
  child.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${stderr}`)))
    child.stdout?.on('data', (chunk) => {
      stdout += chunk
      const found = /http:\/\/[^\s)]+/.exec(stdout)?.[0]
      if (found) resolve(found)
    })
  })
  return { child, url, stdout: () => stdout, stderr: () => stderr }
}

const tokenIn = (text: string) => /\bcat_[\w-]{43}\b/.exec(text)?.[0]

async function stores(url: string, token: string): Promise<{ status: number; count: number | undefined }> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"query":"{ stores { totalCount } }"}',
  })
  const { data } = (await response.json()) as { data?: { stores: { totalCount: number } } }
  return { status: response.status, count: data?.stores.totalCount }
}

describe('npm start', () => {
  it('prints an admin token once, which goes on working after a restart, and ends well on SIGTERM', async () => {
    const first = await start({ DATABASE_URL: database.url })
    const token = tokenIn(first.stderr()) ?? ''
    expect(await stores(first.url, token)).toEqual({ status: 200, count: 0 })
    expect((await stores(first.url, `${token}x`)).status).toBe(401)
    expect(first.stdout().trim().split('\n')).toHaveLength(1)
    first.child.kill('SIGTERM')
    expect(await once(first.child, 'exit')).toEqual([0, null])

    const second = await start({ DATABASE_URL: database.url })
    expect(tokenIn(second.stderr())).toBeUndefined()
    expect(await stores(second.url, token)).toEqual({ status: 200, count: 0 })
  })

  it('lets two gateways start at once on an empty database: one makes the token, both take it', async () => {
    const both = await Promise.all([start({ DATABASE_URL: database.url }), start({ DATABASE_URL: database.url })])
    const tokens = both.flatMap(({ stderr }) => tokenIn(stderr()) ?? [])
    expect(tokens).toHaveLength(1)
    for (const { url } of both) expect(await stores(url, tokens[0] ?? '')).toEqual({ status: 200, count: 0 })
  })

  it('brings its own PostgreSQL where no DATABASE_URL is given, and a demo catalogue on demand', async () => {
    const env = { DATA_DIR: join(folder, 'data'), BOOTSTRAP_TOKEN: 'a-token-for-the-demo' }
    const { url, stderr } = await start(env, '--demo')
    const { count } = await stores(url, env.BOOTSTRAP_TOKEN)
    expect(count).toBeGreaterThan(0)
    expect(tokenIn(stderr())).toBeUndefined()
    expect((await fetch(`${url}/ready`)).status).toBe(200)
  })

  it('names each environment variable that is not usable, not its value', async () => {
    const bad = start({
      PORT: '70000',
      LOG_LEVEL: 'loud',
      BOOTSTRAP_TOKEN: 'short',
      DATABASE_URL: 'mysql://me:secret@x/y',
    })
    await expect(bad).rejects.toThrow(/it ended with 1: .*PORT.*DATABASE_URL.*BOOTSTRAP_TOKEN.*LOG_LEVEL/)
    await expect(bad).rejects.not.toThrow(/secret|short/)
  })
})
