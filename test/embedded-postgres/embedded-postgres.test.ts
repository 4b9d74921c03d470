import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { chooseAccount } from '../../src/embedded-postgres/account.ts'
import { packagedBinDir } from '../../src/embedded-postgres/binaries.ts'
import { openDataDirectory } from '../../src/embedded-postgres/data-directory.ts'
import {
  type EmbeddedOptions,
  type EmbeddedServer,
  startEmbedded,
} from '../../src/embedded-postgres/embedded-postgres.ts'
import { commandLine, spawnOptions } from '../../src/embedded-postgres/process.ts'
import { canConnect, queryOnce } from '../support/database/sql-client.ts'
import { findProgram } from '../support/servers/installed.ts'

const moduleUrl = new URL('../../src/embedded-postgres/embedded-postgres.ts', import.meta.url)
const isRoot = process.getuid?.() === 0
const nobody = 65_534

/** A gateway reduced to its database: it prints what it got, and stops when its stdin says anything. */
const gateway = `
  import { startEmbedded } from ${JSON.stringify(moduleUrl)}
  const server = await startEmbedded(JSON.parse(process.argv[1]))
  console.log(JSON.stringify({ ...server, uid: process.getuid() }))
  process.stdin.once('data', () => server.stop().then(() => process.exit()))
`

interface Gateway {
  readonly process: ChildProcess
  readonly server: Pick<EmbeddedServer, 'connection' | 'started'> & { uid: number }
  stop(): Promise<unknown>
}

/** A stopped cluster, which saves most tests the first start. */
let template: string
let scratch: string
let dataDir: string
let servers: EmbeddedServer[]
let children: ChildProcess[]

beforeAll(async () => {
  template = await mkdtemp(join(tmpdir(), 'embedded-template-'))
  await (await startEmbedded({ dataDir: template })).stop()
})

afterAll(() => rm(template, { recursive: true }))

beforeEach(async () => {
  scratch = await realpath(await mkdtemp(join(tmpdir(), 'embedded-')))
  dataDir = join(scratch, 'kept')
  copyDirectory(template, dataDir)
  servers = []
  children = []
})

afterEach(async () => {
  await Promise.allSettled(servers.map((server) => server.stop()))
  for (const child of children) await kill(child)
  for (const directory of new Set([...(await readdir(scratch)).map((entry) => join(scratch, entry)), dataDir])) {
    await killPostgres(directory)
  }
  await rm(scratch, { recursive: true, maxRetries: 5 })
})

test('the first start makes a durable cluster that folds the case of every letter', async () => {
  dataDir = join(scratch, 'fresh')
  const { connection, started } = await start()
  expect(started).toBe(true)
  const [row] = await query(
    connection,
    `select lower('ÄЖ') as folded, current_setting('fsync') as fsync, current_setting('server_encoding') as encoding,
      current_setting('data_checksums') as checksums, current_database() as database, current_user as user`,
  )
  expect(row).toEqual({
    folded: 'äж',
    fsync: 'on',
    encoding: 'UTF8',
    checksums: 'on',
    database: 'catalogue',
    user: 'catalogue',
  })
})

test('a restart keeps the data', async () => {
  const first = await start()
  await query(first.connection, 'create table kept as select 42 as answer')
  await first.stop()
  await first.stop()
  expect(await findPostgres(dataDir)).toBeUndefined()

  const second = await start()
  expect(second.started).toBe(true)
  expect(await query(second.connection, 'select answer from kept')).toEqual([{ answer: 42 }])
})

test('a server whose gateway was killed is adopted', async () => {
  const killed = await gatewayProcess()
  const pid = await findPostgres(dataDir)
  await kill(killed.process)

  const adopter = await start()
  expect(adopter.started).toBe(false)
  expect(adopter.connection).toEqual(killed.server.connection)
  expect(await findPostgres(dataDir)).toBe(pid)

  await adopter.stop()
  expect(await findPostgres(dataDir)).toBeUndefined()
})

test('a killed PostgreSQL is recovered by the next start, although one of its queries still runs', async () => {
  const killed = await gatewayProcess()
  await query(killed.server.connection, 'create table kept as select 42 as answer')
  await keepBusy(killed.server.connection, 700)
  await kill(killed.process)
  await killPostgres(dataDir)

  const next = await start()
  expect(next.started).toBe(true)
  expect(await query(next.connection, 'select answer from kept')).toEqual([{ answer: 42 }])
})

test('a PostgreSQL that is killed under its gateway comes back by itself', async () => {
  const { connection, stop } = await start()
  await query(connection, 'create table kept as select 42 as answer')
  await killPostgres(dataDir)

  const answer = () => query(connection, 'select answer from kept').catch(() => undefined)
  await expect.poll(answer).toEqual([{ answer: 42 }])
  await stop()
  expect(await findPostgres(dataDir)).toBeUndefined()
})

test('several gateways that start at once on a fresh directory share one server', async () => {
  dataDir = join(scratch, 'fresh')
  const gateways = await Promise.all([gatewayProcess(), gatewayProcess(), gatewayProcess()])
  const births = await Promise.all(
    gateways.map(({ server }) => query(server.connection, 'select pg_postmaster_start_time()::text as birth')),
  )
  expect(new Set(births.map((rows) => JSON.stringify(rows))).size).toBe(1)
  expect(gateways.map(({ server }) => server.started).sort()).toEqual([false, false, true])
  await Promise.all(gateways.map((one) => one.stop()))
  expect(await findPostgres(dataDir)).toBeUndefined()
  expect(await drafts()).toEqual([])
})

test('several gateways that start at once after a crash and a reboot share one server', async () => {
  const killed = await gatewayProcess()
  await kill(killed.process)
  await killPostgres(dataDir)
  await giveProcessIdTo(aliveStranger())

  // In one process they come closer to each other than separate ones do.
  const gateways = await Promise.all([start(), start(), start(), start(), start()])
  expect(gateways.map(({ started }) => started).sort()).toEqual([false, false, false, false, true])
  expect(await findPostgres(dataDir)).toBeDefined()
})

test('stop does not take a client that has just left for one that is there', async () => {
  const { connection, stop } = await start()
  await keepBusy(connection, 300)
  await stop()
  expect(await findPostgres(dataDir)).toBeUndefined()
})

test('stop leaves the server to a client that is still connected', async () => {
  const first = await start()
  const client = new pg.Client(first.connection)
  await client.connect()
  await first.stop()
  expect((await client.query('select 42 as answer')).rows).toEqual([{ answer: 42 }])

  const second = await start()
  expect(second.started).toBe(false)
  await client.end()
  await second.stop()
  expect(await findPostgres(dataDir)).toBeUndefined()
})

test('stop leaves the server to a gateway whose pool is idle, and the last one out stops it', async () => {
  const first = await start()
  const other = await gatewayProcess()
  await first.stop()
  expect(await findPostgres(dataDir)).toBeDefined()
  await other.stop()
  expect(await findPostgres(dataDir)).toBeUndefined()
})

test('a gateway that arrives while another one leaves has a server all the same', async () => {
  let leaving = await start()
  for (let round = 0; round < 8; round++) {
    const [, arriving] = await Promise.all([leaving.stop(), sleep(round * 3).then(() => start())])
    expect(await query(arriving.connection, 'select 42 as answer')).toEqual([{ answer: 42 }])
    leaving = arriving
  }
})

test('the server is out of reach for all other users', async () => {
  const { connection } = await start()
  const postmasterFile = await readFile(pidFile(dataDir), 'utf8')
  const tcpAddress = postmasterFile.split('\n')[5]
  expect(tcpAddress).toBe('')
  for (const directory of [join(dataDir, 'postgres'), connection.host, join(dataDir, 'postgres/cluster')]) {
    expect((await stat(directory)).mode & 0o777).toBe(0o700)
  }
  expect((await stat(join(dataDir, 'postgres/server.log'))).mode & 0o777).toBe(0o600)
})

test('a long path gets a short socket directory, which must not be open to others', async () => {
  dataDir = join(scratch, `a long, "quoted" name ${'x'.repeat(80)}`)
  const { connection, stop } = await start()
  try {
    expect(connection.host.startsWith(await realpath(tmpdir()))).toBe(true)
    expect((await stat(connection.host)).mode & 0o777).toBe(0o700)
    await stop()
    await chmod(connection.host, 0o755)
    await expect(start()).rejects.toThrow(/must be a directory of this user with mode 0700/)
  } finally {
    await rm(connection.host, { recursive: true })
  }
})

test('an interrupted initdb is made good', async () => {
  dataDir = join(scratch, 'fresh')
  const interrupted = gatewayProcess({}, { detached: true })
  interrupted.catch(() => {})
  const inTheMiddle = async () => {
    const [draft] = await drafts()
    return draft !== undefined && existsSync(join(dataDir, 'postgres', draft, 'postgresql.conf'))
  }
  await expect.poll(inTheMiddle, { interval: 5 }).toBe(true)
  for (const child of children) process.kill(-(child.pid ?? 0), 'SIGKILL')
  await expect(interrupted).rejects.toThrow()
  expect(await readdir(join(dataDir, 'postgres'))).not.toContain('cluster')
  expect(await drafts()).toHaveLength(1)

  const { connection } = await start()
  expect(await query(connection, 'select 42 as answer')).toEqual([{ answer: 42 }])
  expect(await drafts()).toEqual([])
})

test('Ctrl-C in the terminal of the gateway does not reach the server', async () => {
  const interrupted = await gatewayProcess({}, { detached: true })
  process.kill(-(interrupted.process.pid ?? 0), 'SIGINT')
  await once(interrupted.process, 'exit')
  await sleep(200)
  expect((await start()).started).toBe(false)
})

test('the server does not keep a process alive that has nothing else to do', async () => {
  const script = `import { startEmbedded } from ${JSON.stringify(moduleUrl)}; await startEmbedded(JSON.parse(process.argv[1]))`
  const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', script, JSON.stringify({ dataDir })], {
    timeout: 30_000,
  })
  expect(status).toBe(0)
  expect((await start()).started).toBe(false)
})

test('a copy of a running cluster does not lead to the original', async () => {
  await start()
  const copy = join(scratch, 'copy')
  copyDirectory(dataDir, copy)
  const copied = await start({ dataDir: copy })
  expect(copied.connection.host.startsWith(copy)).toBe(true)
  expect(copied.started).toBe(true)
})

test('a failed start says what the server said', async () => {
  await writeFile(join(dataDir, 'postgres/cluster/postgresql.conf'), 'gibberish', { flag: 'a' })
  await expect(start()).rejects.toThrow(/did not start.*syntax error in file .*postgresql\.conf/s)
})

test('a server that another program has started in the directory is named', async () => {
  const directory = await openDataDirectory(dataDir)
  const postgres = join(await packagedBinDir(), 'postgres')
  const account = await chooseAccount(directory, postgres)
  const settings = ['port=5433', 'listen_addresses=', `unix_socket_directories=${directory.socketDir}`]
  const options = ['-D', directory.cluster, ...settings.flatMap((setting) => ['-c', setting])]
  const child = spawn(...commandLine(account, postgres, options), { ...spawnOptions(), stdio: 'ignore' })
  children.push(child)
  const database = { host: directory.socketDir, port: 5433, user: 'catalogue', database: 'catalogue' }
  await expect.poll(() => canConnect(database)).toBe(true)
  await expect(start()).rejects.toThrow(`(process ${child.pid}, port 5433): stop it, or set DATABASE_URL to it`)
})

test('a plain user can run it', async () => {
  const { command, directory } = await plainUser()
  dataDir = join(directory, '.data')
  const { server, stop } = await gatewayProcess({}, {}, command)
  expect(server.uid).not.toBe(0)
  expect(await query(server.connection, 'select 42 as answer')).toEqual([{ answer: 42 }])
  if (isRoot) {
    // Root uses it in between without taking it away, and has to make what is missing.
    await stop()
    await rm(join(dataDir, 'postgres/server.log'))
    await rm(join(dataDir, 'postgres/run'), { recursive: true })
    await (await start()).stop()
    await gatewayProcess({}, {}, command)
  }
})

test('it runs where user namespaces are forbidden, and again where they are not', async () => {
  dataDir = join(scratch, 'fresh')
  await writeFile(join(scratch, 'unshare'), '#!/bin/sh\nexit 1', { mode: 0o755 })
  const env = { ...process.env, PATH: `${scratch}:${process.env.PATH}` }
  for (const options of [{ env }, { env }, {}]) {
    const { server, stop } = await gatewayProcess({}, options)
    expect(server.started).toBe(true)
    expect(await query(server.connection, 'select 42 as answer')).toEqual([{ answer: 42 }])
    await stop()
  }
})

const pgCtl = findProgram('pg_ctl') ?? ''
test.runIf(pgCtl)('an installed PostgreSQL runs from its own directory', async () => {
  dataDir = join(scratch, 'fresh')
  const { connection } = await start({ binDir: dirname(pgCtl) })
  const version = spawnSync(pgCtl, ['--version'], { encoding: 'utf8' }).stdout.match(/\d+\.\d+/)?.[0]
  const [row] = await query(connection, `select lower('ÄЖ') as folded, current_setting('server_version') as version`)
  expect(row).toEqual({ folded: 'äж', version: expect.stringContaining(version ?? 'a version') })
})

async function start(options: Partial<EmbeddedOptions> = {}): Promise<EmbeddedServer> {
  const server = await startEmbedded({ dataDir, ...options })
  servers.push(server)
  return server
}

/** Starts a gateway as a process of its own; rejects when that ends before it has a server. */
async function gatewayProcess(
  options: Partial<EmbeddedOptions> = {},
  spawning: { detached?: boolean; env?: NodeJS.ProcessEnv } = {},
  command: string[] = [],
): Promise<Gateway> {
  const argument = JSON.stringify({ dataDir, ...options })
  const [program = '', ...words] = [...command, process.execPath, '--input-type=module', '-e', gateway, argument]
  const child = spawn(program, words, { ...spawning, cwd: '/', stdio: ['pipe', 'pipe', 'inherit'] })
  children.push(child)
  const lines = createInterface({ input: child.stdout })
  const line = await Promise.race([once(lines, 'line'), once(child, 'exit').then(([code]) => code)])
  if (!Array.isArray(line)) throw new Error(`the gateway ended with ${line}`)
  return {
    process: child,
    server: JSON.parse(line[0]),
    stop: () => {
      child.stdin.write('stop')
      return once(child, 'exit')
    },
  }
}

/** A command prefix that makes a plain user of root, and a directory that is that user's. */
async function plainUser(): Promise<{ command: string[]; directory: string }> {
  if (!isRoot) return { command: [], directory: scratch }
  const directory = join(scratch, 'plain')
  const other = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups']
  const [program = '', ...words] = [...other, process.execPath, '--input-type=module', '-e', `import '${moduleUrl}'`]
  if (spawnSync(program, words, { cwd: '/' }).status !== 0) {
    // Only root can enter this checkout, so we change the number and keep root's right to it.
    await mkdir(directory, { mode: 0o700 })
    return { command: ['unshare', '--user', `--map-user=${nobody}`, `--map-group=${nobody}`], directory }
  }
  await chmod(scratch, 0o755)
  await mkdir(directory, { mode: 0o700 })
  await chown(directory, nobody, nobody)
  return { command: other, directory }
}

async function query(connection: pg.ClientConfig, sql: string): Promise<unknown[]> {
  return (await queryOnce(connection, sql)).rows
}

/** Leaves a query behind that runs on, without a client, and listens to nobody. */
async function keepBusy(connection: pg.ClientConfig, milliseconds: number): Promise<void> {
  const socket = new Socket()
  const client = new pg.Client({ ...connection, stream: () => socket })
  client.on('error', () => {})
  await client.connect()
  const loop = `while clock_timestamp() < now() + interval '${milliseconds} milliseconds' loop end loop`
  client.query(`do 'begin ${loop.replaceAll("'", "''")}; end'`).catch(() => {})
  await sleep(50)
  socket.destroy()
}

function pidFile(directory: string): string {
  return join(directory, 'postgres/cluster/postmaster.pid')
}

async function findPostgres(directory: string): Promise<number | undefined> {
  const text = await readFile(pidFile(directory), 'utf8').catch(() => '')
  return text === '' ? undefined : Number.parseInt(text, 10)
}

async function killPostgres(directory: string): Promise<void> {
  const pid = await findPostgres(directory)
  const line = pid === undefined ? '' : await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  if (pid !== undefined && line.includes(directory)) process.kill(pid, 'SIGKILL')
}

function copyDirectory(from: string, to: string): void {
  const { status } = spawnSync('cp', ['-a', from, to])
  if (status !== 0) throw new Error(`cp ended with exit code ${status}`)
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

function aliveStranger(): number {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' })
  children.push(child)
  return child.pid ?? 0
}

/** As after a reboot: the lock files' process id is somebody else's now. */
async function giveProcessIdTo(pid: number): Promise<void> {
  for (const file of [pidFile(dataDir), join(dataDir, 'postgres/run/.s.PGSQL.5432.lock')]) {
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replace(/^\d+/, String(pid)))
  }
}

async function drafts(): Promise<string[]> {
  const entries = await readdir(join(dataDir, 'postgres')).catch(() => [])
  return entries.filter((entry) => entry.startsWith('initdb-'))
}
