import { mkdtemp, rm } from 'node:fs/promises'
import { Agent } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { connectionsPerWorker } from '../../../src/app/cluster/supervisor.ts'
import { runCliProcess } from '../../support/clients/cli.ts'
import { send } from '../../support/clients/http.ts'
import { useDatabase } from '../../support/database/database.ts'
import { listen } from '../../support/servers/loopback.ts'
import { type Program, startProgram } from '../../support/servers/program.ts'

const admin = 'a-token-for-the-workers'

const database = useDatabase({}, 'each')
let program: Program | undefined
afterEach(async () => {
  await program?.end('SIGKILL')
})

async function start(env: Record<string, string> = {}): Promise<Program> {
  program = await startProgram(['serve', '--workers', '2'], {
    DATABASE_URL: database.url,
    BOOTSTRAP_TOKEN: admin,
    ...env,
  })
  return program
}

/** The process of each worker that has answered last, by its number. */
function pidsOf({ stderr }: Program): Map<number, number> {
  const lines = stderr()
    .split('\n')
    .filter((line) => line.includes('"a worker answers"'))
    .map((line) => JSON.parse(line) as { worker: number; pid: number })
  return new Map(lines.map(({ worker, pid }) => [worker, pid]))
}

/** Waits as long as the test's own time-out lets it. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(20)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Two connections: they are given to the workers alternately. */
const twoConnections = () => [1, 2].map(() => new Agent({ keepAlive: true, maxSockets: 1 }))

async function newToken(scope: string): Promise<{ id: string; token: string }> {
  const args = ['token', 'create', '--name', 'test', '--scope', scope, '--json']
  return JSON.parse((await runCliProcess(args, { DATABASE_URL: database.url })).stdout)
}

describe('two workers', () => {
  it('both answer, from the one embedded PostgreSQL, and either reports the metrics of both', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'catalogue-workers-'))
    const running = await start({ DATABASE_URL: '', DATA_DIR: dataDir })
    const { url } = running
    for (const agent of twoConnections()) {
      await send(`${url}/v1/nowhere`, { token: admin, agent })
      agent.destroy()
    }
    let text = ''
    const answered = async () => {
      text = (await send(`${url}/metrics`, { token: admin })).text
      const counts = text.matchAll(/duration_seconds_count\{.*operation="none".*worker="(\d)"\} 1$/gm)
      return [...counts].map(([, worker]) => worker).toSorted()
    }
    await expect.poll(answered).toEqual(['1', '2'])
    expect(text.match(/^process_resident_memory_bytes\{worker="\d"\}/gm)).toHaveLength(2)
    expect(text.match(/^# TYPE catalogue_pool_connections/gm)).toHaveLength(1)
    expect(new Set(pidsOf(running).values()).size).toBe(2)
    expect(running.stderr().match(/(started|adopted) PostgreSQL/g)).toEqual(['started PostgreSQL'])
    expect(await running.end('SIGTERM')).toEqual([0, null])
    await rm(dataDir, { recursive: true })
  })

  it('a worker that dies is replaced, while the other answers', async () => {
    const running = await start()
    const before = pidsOf(running)
    process.kill(before.get(1) ?? 0, 'SIGKILL')
    await until(() => running.stderr().includes('a worker ended and is replaced'))
    await until(async () => {
      expect((await send(`${running.url}/ready`)).status).toBe(200)
      return pidsOf(running).get(1) !== before.get(1)
    })
    const { text } = await send(`${running.url}/metrics`, { token: admin })
    expect(text.match(/^process_resident_memory_bytes\{worker="\d"\}/gm)).toHaveLength(2)
    expect(await running.end('SIGTERM')).toEqual([0, null])
  })

  it('both refuse a token that is revoked, on open connections too', async () => {
    const { url } = await start()
    const { id, token } = await newToken('read')
    const agents = twoConnections()
    const statuses = () =>
      Promise.all(agents.map(async (agent) => (await send(`${url}/v1/nowhere`, { token, agent })).status))
    expect(await statuses()).toEqual([404, 404])
    await runCliProcess(['token', 'revoke', id], { DATABASE_URL: database.url })
    await until(async () => (await statuses()).every((status) => status === 401))
    for (const agent of agents) agent.destroy()
  })

  it('count the requests of a token together', async () => {
    const { url } = await start({ RATE_LIMIT: '5' })
    const { token } = await newToken('read')
    const agents = twoConnections()
    const statuses: number[] = []
    for (const agent of [...agents, ...agents, ...agents, ...agents]) {
      statuses.push((await send(`${url}/v1/nowhere`, { token, agent })).status)
    }
    expect(statuses).toEqual([404, 404, 404, 404, 404, 429, 429, 429])
    for (const agent of agents) agent.destroy()
  })

  it('do not outlive a primary that is killed', async () => {
    const running = await start()
    const pids = [...pidsOf(running).values()]
    await running.end('SIGKILL')
    await until(() => !pids.some(isAlive))
  })

  it('are not started where the port is taken: it ends with 1 and says so', async () => {
    const taken = createServer()
    await expect(start({ PORT: String(await listen(taken)) })).rejects.toThrow(
      /it ended with 1: .*EADDRINUSE.*set PORT to another port/,
    )
    taken.close()
  })
})

describe('the number of workers', () => {
  it('does not multiply the connections to PostgreSQL beyond what it takes', () => {
    expect([2, 6, 8, 16].map((workers) => connectionsPerWorker(workers))).toEqual([10, 10, 7, 3])
  })

  it('is a whole number from 1 to 16, or is refused', async () => {
    for (const workers of ['0', 'abc', '17', '1.5', '-1', '']) {
      const { code, stderr } = await runCliProcess(['serve', `--workers=${workers}`], { DATABASE_URL: database.url })
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--workers') })
      expect(stderr).toContain(`'${workers}' is invalid. It must be a whole number from 1 to 16.`)
    }
    const { code, stderr } = await runCliProcess(['serve'], { DATABASE_URL: database.url, WORKERS: 'abc' })
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('WORKERS must be a whole number') })
  })
})
