import { readdir, readFile, writeFile } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { startClientProcess } from '../../faults/support/client-process.ts'
import { quantile } from '../../faults/support/quantile.ts'
import { restData } from '../../support/clients/rest-client.ts'
import type { TestDatabase } from '../../support/database/database.ts'
import { newStore } from '../../support/factories.ts'
import type { Program } from '../../support/servers/program.ts'
import { serve } from '../../support/servers/serve.ts'
import { newToken } from '../../support/tokens.ts'
import { Attacker, tablesOfStore, times } from './attacker.ts'
import type { Neighbour, Seen } from './neighbour.ts'

const secret = 'a value that only the neighbour has'
const codes = times(1_500, (i) => `N${i}`)

/** What an attack did to the neighbour and to the gateway. */
export interface Outcome {
  seen: Seen
  /** The most resident memory of the gateway's process, in MiB. */
  memory: number
  answers: Map<string, number>
  faults: string[]
}

export type TwoTenants = Awaited<ReturnType<typeof startTwoTenants>>

/** A gateway in its own process, a tenant that works in another process, and tenants that attack from this one. */
export async function startTwoTenants(database: TestDatabase, env: Record<string, string> = {}) {
  const clients = await startClientProcess()
  const client = await database.client()
  const program = await serve(database, [], { LOG_LEVEL: 'error', ...env })
  const { url } = program
  const newTenant = async () => {
    const store = await newStore(program)
    const tokenOf = async (...scopes: ('READ' | 'WRITE')[]) =>
      (await newToken(program, { scopes, stores: [store] })).secret
    const [token, otherToken] = [await tokenOf('READ', 'WRITE'), await tokenOf('READ', 'WRITE')]
    return { store, token, otherToken, writeToken: await tokenOf('WRITE') }
  }
  const neighbour: Neighbour = { url, codes, ...(await newTenant()) }
  await restData(
    program,
    `POST /products?store_uuid=${neighbour.store}`,
    codes.map((code) => ({ product_code: code, Secret: secret, 'Image URL 1': `https://cdn.example/${code}` })),
  )
  /** What the neighbour sees while the work runs, and a second longer. */
  const during = async (work: () => Promise<unknown>): Promise<Pick<Outcome, 'seen' | 'memory'>> => {
    await forgetPeak(program)
    await clients.run('watch', neighbour)
    await setAttackPriority(19)
    await work()
    await setAttackPriority(0)
    await sleep(1_000)
    const seen = await clients.run('endWatch', undefined)
    return { seen, memory: await peakMemory(program) }
  }
  return {
    program,
    during,
    /** Lets a new tenant attack so many times; `prepare` is not measured. */
    attack: async ({ prepare, run }: Pick<Attack, 'prepare' | 'run'>, rounds = 1): Promise<Outcome> => {
      const tenant = await newTenant()
      const attacker = new Attacker({ url, ...tenant }, client, secret)
      await prepare?.(attacker)
      const outcome = await during(async () => {
        for (let round = 0; round < rounds; round++) await run(attacker)
      })
      if (program.child.exitCode !== null || program.child.signalCode !== null) attacker.faults.push('the gateway died')
      for (const table of [...tablesOfStore, 'job']) {
        if (table !== 'store') await client.query(`delete from ${table} where store_uuid = $1`, [tenant.store])
      }
      return { ...outcome, answers: attacker.answers, faults: attacker.faults }
    },
    stop: async () => {
      clients.end()
      await program.end('SIGKILL')
      await client.end()
    },
  }
}

export interface Attack {
  name: string
  /** Not in the short form: another test of this folder has it. */
  isLong?: boolean
  /** Starts a service that the gateway calls. The attack then has a gateway of its own, with this environment. */
  start?(database: TestDatabase): Promise<{ env: Record<string, string>; end(): Promise<unknown> }>
  prepare?(attacker: Attacker): Promise<unknown>
  run(attacker: Attacker): Promise<unknown>
}

/** Attackers have machines of their own: where it can be undone, all threads here have the lowest priority. */
async function setAttackPriority(priority: number): Promise<void> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return
  for (const thread of await readdir('/proc/self/task')) {
    try {
      setPriority(Number(thread), priority)
    } catch (error) {
      // The thread has ended since it was listed.
      if ((error as { info?: { code: string } }).info?.code !== 'ESRCH') throw error
    }
  }
}

/** From here on Linux records the peak memory of the process anew. */
async function forgetPeak({ child: { pid } }: Program): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => {})
}

async function peakMemory({ child: { pid } }: Program): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}

const targets = { p99: 100, put: 1_000, health: 100 }
export const maxMemory = 1_024

/** What exceeds the targets in an outcome. */
export function excesses({ seen, memory, faults }: Outcome): string[] {
  const found = figuresOf(seen)
  const slow = (['p99', 'put', 'health'] as const).filter((name) => found[name] > targets[name])
  return [
    ...slow.map((name) => `${name} ${Math.round(found[name])} ms`),
    ...(memory > maxMemory ? [`memory ${Math.round(memory)} MiB`] : []),
    ...seen.refused,
    ...faults,
  ]
}

export function figuresOf({ list, put, health, export: exported }: Seen) {
  const most = (values: readonly number[]) => Math.max(0, ...values)
  return {
    p50: quantile(list, 0.5),
    p99: quantile(list, 0.99),
    list: most(list),
    put: most(put),
    health: most(health),
    export: most(exported),
  }
}

/** A line of the table of figures. */
export function row(name: string, { seen, memory, answers, faults }: Outcome): string {
  const { p50, p99, list, put, health, export: exported } = figuresOf(seen)
  const figures = [p50, p99, list, put, health, exported, memory].map((value) => value.toFixed(0).padStart(7)).join('')
  const counts = [...answers].map(([status, count]) => `${count} × ${status}`).join(', ')
  const bad = [seen.refused.length, faults.length].map((count) => String(count).padStart(5)).join('')
  return `${name.slice(0, 44).padEnd(44)}${figures}${bad}  ${counts}`
}

export const head = `${''.padEnd(44)}    p50    p99    max    PUT health export memory   B≠ fault  answers`
