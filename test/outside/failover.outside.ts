import { execFile } from 'node:child_process'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createProducts, faultsOf, newLedger, writeOnce } from '../faults/support/ledger.ts'
import { queryOnce } from '../support/database/sql-client.ts'
import { newStore } from '../support/factories.ts'
import { useFolder } from '../support/folder.ts'
import { program } from '../support/servers/installed.ts'
import { startProgram, unprivileged } from '../support/servers/program.ts'

const programs = process.env.TEST_POSTGRES_BIN ?? dirname(program('pg_ctl'))
const token = 'a-token-for-the-tests-only'
const writers = 8
/** Less than a statement may take on a host that is silent (35 s). */
const maxGapMs = 20_000

const folder = useFolder()
let pairs = 0
const folderOf = (name: string) => folder.file(`${name}-${pairs}`)

async function run(name: string, args: readonly string[]): Promise<void> {
  const [command, ...rest] = unprivileged(join(programs, name), ...args)
  await promisify(execFile)(command, rest)
}

const dataOf = (name: string) => join(folderOf(name), 'data')
const serverOf = (name: string) => ({ host: folderOf(name), port: 5432, user: 'catalogue', database: 'postgres' })

async function start(name: string, settings: readonly string[]): Promise<void> {
  const options = ['listen_addresses=', `unix_socket_directories=${folderOf(name)}`, ...settings]
  const given = options.map((option) => `-c ${option}`).join(' ')
  await run('pg_ctl', ['-D', dataOf(name), '-w', '-l', `${folderOf(name)}.log`, '-o', given, 'start'])
}

/** The server's main process and its others. */
async function processesOf(name: string): Promise<number[]> {
  const pid = Number((await readFile(join(dataOf(name), 'postmaster.pid'), 'utf8')).split('\n')[0])
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return [pid, ...children.trim().split(' ').map(Number)]
}

async function signal(name: string, kind: NodeJS.Signals): Promise<void> {
  for (const pid of await processesOf(name)) process.kill(pid, kind)
}

/** A primary and its standby, which has whatever the primary acknowledges. */
async function startPair(): Promise<void> {
  pairs++
  for (const name of ['one', 'two']) await mkdir(folderOf(name))
  await run('initdb', ['-D', dataOf('one'), '--username=catalogue', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'])
  await start('one', ["synchronous_standby_names='*'"])
  onTestFinished(() => signal('one', 'SIGKILL').catch(() => {}))
  const from = ['-h', folderOf('one'), '-U', 'catalogue', '--checkpoint=fast', '--write-recovery-conf', '--no-sync']
  await run('pg_basebackup', ['-D', dataOf('two'), ...from])
  await start('two', ['wal_receiver_timeout=1s'])
  onTestFinished(() => run('pg_ctl', ['-D', dataOf('two'), '-m', 'immediate', 'stop']))
}

async function startGateway(hosts: readonly string[]) {
  const names = hosts.map((name) => encodeURIComponent(folderOf(name))).join()
  const DATABASE_URL = `postgresql://catalogue@${names}/postgres?target_session_attrs=read-write`
  const gateway = await startProgram(['serve'], { DATABASE_URL, BOOTSTRAP_TOKEN: token, LOG_LEVEL: 'silent' })
  onTestFinished(async () => void (await gateway.end()))
  return gateway
}

const endings: Record<string, () => Promise<void>> = {
  killed: () => signal('one', 'SIGKILL'),
  'stopped by its administrator': () => run('pg_ctl', ['-D', dataOf('one'), '-m', 'fast', 'stop']),
  frozen: () => signal('one', 'SIGSTOP'),
}
const orders = [
  ['one', 'two'],
  ['two', 'one'],
]

describe.each(orders)('with the hosts %s and %s', (...hosts) => {
  it.each(Object.keys(endings))(
    'no acknowledged write is lost, and none fails but with 503, when the primary is %s',
    {
      timeout: 180_000,
    },
    async (kind) => {
      await startPair()
      const gateway = await startGateway(hosts)
      const store = await newStore(gateway)
      const ledgers = Array.from({ length: writers }, (_, writer) => newLedger(store, writer, 5))
      for (const ledger of ledgers) await createProducts(gateway, ledger)
      const acknowledgedAt = [performance.now()]
      let isOver = false
      const writing = ledgers.map(async (ledger) => {
        while (!isOver) {
          const before = ledger.acknowledged
          await writeOnce(gateway, ledger)
          if (ledger.acknowledged > before) acknowledgedAt.push(performance.now())
        }
      })
      const rounds = () => Math.min(...ledgers.map(({ all }) => all.length))
      await expect.poll(rounds).toBeGreaterThan(3)
      await endings[kind]?.()
      await queryOnce(serverOf('two'), 'select pg_promote()')
      const then = rounds()
      await expect.poll(rounds).toBeGreaterThan(then + 3)
      isOver = true
      await Promise.all(writing)
      const gaps = acknowledgedAt.slice(1).map((at, i) => at - (acknowledgedAt[i] ?? at))
      const refusals = new Map<string, number>()
      for (const [what, count] of ledgers.flatMap((ledger) => [...ledger.refusals]))
        refusals.set(what, (refusals.get(what) ?? 0) + count)
      const longest = Math.round(Math.max(...gaps))
      process.stdout.write(`${kind}: no write for ${longest} ms; refusals: ${JSON.stringify([...refusals])}\n`)
      expect([...refusals.keys()].filter((refusal) => refusal !== '503 with Retry-After')).toEqual([])
      expect(longest).toBeLessThan(maxGapMs)
      for (const ledger of ledgers) await expect.poll(() => faultsOf(gateway, ledger)).toEqual([])
    },
  )
})
