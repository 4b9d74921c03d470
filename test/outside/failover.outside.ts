import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { program } from '../support/servers/installed.ts'
import { type Program, startProgram, unprivileged } from '../support/servers/program.ts'

const programs = process.env.TEST_POSTGRES_BIN ?? dirname(program('pg_ctl'))
const token = 'a-token-for-the-tests-only'
let directory: string
let gateway: Program

async function run(name: string, args: readonly string[]): Promise<void> {
  const [command, ...rest] = unprivileged(join(programs, name), ...args)
  await promisify(execFile)(command, rest)
}

const dataOf = (name: string) => join(directory, name, 'data')
const socketOf = (name: string) => join(directory, name)

async function start(name: string): Promise<void> {
  const options = `-c listen_addresses= -c unix_socket_directories=${socketOf(name)}`
  await run('pg_ctl', ['-D', dataOf(name), '-w', '-l', join(directory, `${name}.log`), '-o', options, 'start'])
}

async function signal(name: string, kind: NodeJS.Signals): Promise<void> {
  process.kill(Number((await readFile(join(dataOf(name), 'postmaster.pid'), 'utf8')).split('\n')[0]), kind)
}

/** A primary and its standby, and a gateway that has the standby as its first host. */
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'catalogue-failover-'))
  for (const name of ['one', 'two']) await mkdir(socketOf(name))
  await run('initdb', ['-D', dataOf('one'), '--username=catalogue', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'])
  await start('one')
  const from = ['-h', socketOf('one'), '-U', 'catalogue', '--checkpoint=fast', '--write-recovery-conf', '--no-sync']
  await run('pg_basebackup', ['-D', dataOf('two'), ...from])
  await start('two')
  const hosts = [socketOf('two'), socketOf('one')].map(encodeURIComponent)
  const url = `postgresql://catalogue@${hosts.join(',')}/postgres?target_session_attrs=read-write`
  gateway = await startProgram(['serve'], { DATABASE_URL: url, BOOTSTRAP_TOKEN: token, LOG_LEVEL: 'silent' })
}, 120_000)

afterAll(async () => {
  await gateway?.end()
  for (const name of ['one', 'two']) await signal(name, 'SIGQUIT').catch(() => {})
  await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
})

const createStore = async () => {
  const body = { store_name: 'S', store_taxonomy: 'catalog', region: [], channels: [], default_automation: [] }
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const { status } = await fetch(`${gateway.url}/v1/stores`, { method: 'POST', headers, body: JSON.stringify(body) })
  return status
}

it('writes to the standby once it is the primary, without a restart', { timeout: 120_000 }, async () => {
  expect(await createStore()).toBe(200)
  await signal('one', 'SIGKILL')
  await expect.poll(createStore).toBe(503)
  const standby = new pg.Client({ host: socketOf('two'), user: 'catalogue', database: 'postgres' })
  await standby.connect()
  await standby.query('select pg_promote()')
  const promotedAt = performance.now()
  await expect.poll(createStore, { timeout: 30_000, interval: 50 }).toBe(200)
  process.stdout.write(`writes went on ${Math.round(performance.now() - promotedAt)} ms after the promotion\n`)
  const { rows } = await standby.query('select count(*)::int as stores from store')
  expect(rows).toEqual([{ stores: 2 }])
  await standby.end()
})
