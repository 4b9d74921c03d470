import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli } from '../support/clients/cli.ts'
import { send } from '../support/clients/http.ts'
import { useDatabase } from '../support/database/database.ts'
import { useFolder } from '../support/folder.ts'
import { listen } from '../support/servers/loopback.ts'
import { searchPath, startProgram } from '../support/servers/program.ts'

let running: ChildProcess[]
const folder = useFolder('each')
const database = useDatabase({ empty: true }, 'each')
beforeEach(() => {
  running = []
})
afterEach(async () => {
  for (const child of running) if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit')
})

const start = (env: Record<string, string>, ...args: string[]) =>
  startProgram(['serve', ...args], env, (child) => running.push(child))

const tokenIn = (text: string) => /\bcat_[\w-]{43}\b/.exec(text)?.[0]

async function stores(url: string, token: string): Promise<{ status: number; count: number | undefined }> {
  const body = { query: '{ stores { totalCount } }' }
  const { status, json } = await send(`${url}/graphql`, { method: 'POST', token, body })
  const { data } = json as { data?: { stores: { totalCount: number } } }
  return { status, count: data?.stores.totalCount }
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

  it.each([
    ['SIGTERM for npm alone', (npm: number) => process.kill(npm, 'SIGTERM')],
    ['Ctrl-C, which npm passes on to a gateway that has got it as well', (npm: number) => process.kill(-npm, 'SIGINT')],
  ])('ends well on %s', async (_title, signal) => {
    const env = { ...process.env, PATH: searchPath, DATABASE_URL: database.url, PORT: '0' }
    const npm = spawn('npm', ['start'], { cwd: join(import.meta.dirname, '../..'), env, detached: true })
    running.push(npm)
    let stdout = ''
    npm.stdout.on('data', (chunk) => {
      stdout += chunk
    })
    await expect.poll(() => stdout).toContain('catalogue gateway at ')
    const url = /http:\/\/[^\s)]+/.exec(stdout)?.[0]
    signal(npm.pid ?? 0)
    expect(await once(npm, 'exit')).toEqual([0, null])
    await expect(send(`${url}/health`)).rejects.toThrow('ECONNREFUSED')
  })

  it('lets two gateways start at once on an empty database: one makes the token, both take it', async () => {
    const both = await Promise.all([start({ DATABASE_URL: database.url }), start({ DATABASE_URL: database.url })])
    const tokens = both.flatMap(({ stderr }) => tokenIn(stderr()) ?? [])
    expect(tokens).toHaveLength(1)
    for (const { url } of both) expect(await stores(url, tokens[0] ?? '')).toEqual({ status: 200, count: 0 })
  })

  it('brings its own PostgreSQL where no DATABASE_URL is given, and a demo catalogue on demand', async () => {
    const env = { DATA_DIR: folder.file('data'), BOOTSTRAP_TOKEN: 'a-token-for-the-demo' }
    const { url, stderr } = await start(env, '--demo')
    const { count } = await stores(url, env.BOOTSTRAP_TOKEN)
    expect(count).toBeGreaterThan(0)
    expect(tokenIn(stderr())).toBeUndefined()
    await expect.poll(async () => (await send(`${url}/ready`)).status, { timeout: 10_000 }).toBe(200)
    expect(stderr()).toContain(`database: embedded PostgreSQL in ${env.DATA_DIR}\n`)
  })

  it('ends with 1 and one message on a busy port, before it creates anything or prints a token', async () => {
    const listener = createServer()
    const port = await listen(listener)
    const env = { DATA_DIR: folder.file('not-created') }
    const message = await start(env, '--port', String(port)).then(({ url }) => url, String)
    expect(message).toMatch(/it ended with 1: .*cannot listen on 127\.0\.0\.1, port \d+: .*EADDRINUSE.*set PORT/s)
    expect(message.match(/\bcatalog: /g)).toHaveLength(1)
    expect(tokenIn(message)).toBeUndefined()
    expect(existsSync(env.DATA_DIR)).toBe(false)
    listener.close()
    const { stderr } = await start({ DATABASE_URL: database.url }, '--host', '127.0.0.1', '--port', '0')
    expect(tokenIn(stderr())).toBeDefined()
  })

  it.each(['192.0.2.1', 'no-such-host.invalid'])('ends with 1 and one message on HOST=%s', async (HOST) => {
    const message = await start({ DATABASE_URL: database.url, HOST }).then(({ url }) => url, String)
    expect(message).toMatch(/it ended with 1: .*cannot listen on .*\. Set HOST to an address of this machine/s)
    expect(message.match(/\bcatalog: /g)).toHaveLength(1)
  })

  it('stops on a signal that comes while it starts', async () => {
    const starting = start({ DATABASE_URL: database.url })
    starting.catch(() => {})
    const [child] = running
    await once(child?.stderr ?? process.stdin, 'data')
    child?.kill('SIGINT')
    expect(await once(child ?? process, 'exit')).toEqual([0, null])
  })

  it('says how to make an admin token where there are tokens, but none of an admin', async () => {
    await runCli(['migrate'], { DATABASE_URL: database.url })
    await runCli(['token', 'create', '--name', 'reader', '--scope', 'read'], { DATABASE_URL: database.url })
    const first = await start({ DATABASE_URL: database.url })
    expect(tokenIn(first.stderr())).toBeUndefined()
    const advice = /To make one, run "npm run catalog -- (token create .*)"/.exec(first.stderr())?.[1] ?? ''
    const { stdout } = await runCli(advice.split(' '), { DATABASE_URL: database.url })
    expect(await stores(first.url, stdout.trim())).toEqual({ status: 200, count: 0 })
    const second = await start({ DATABASE_URL: database.url })
    expect(second.stderr()).toContain('An earlier start printed the admin token. To make one, run')
  })

  it('names each environment variable that is not usable, and its value if that is no secret', async () => {
    const bad = start({
      PORT: '70000',
      CHANGES_RETENTION: 'long',
      LOG_LEVEL: 'loud',
      BOOTSTRAP_TOKEN: 'short',
      DATABASE_URL: 'mysql://me:secret@x/y',
    })
    await expect(bad).rejects.toThrow(/it ended with 1: .*PORT.*DATABASE_URL.*BOOTSTRAP_TOKEN.*LOG_LEVEL/)
    await expect(bad).rejects.toThrow(/PORT must be a whole number from 0 to 65535; got "70000";/)
    await expect(bad).rejects.toThrow(/CHANGES_RETENTION must be 0 or a duration such as .*; got "long"/)
    await expect(bad).rejects.not.toThrow(/secret|short/)
  })
})
