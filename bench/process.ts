import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load } from './load.ts'
import { rest } from './reads.ts'
import { npmStart, startServer } from './servers.ts'
import { figure, median, table } from './table.ts'

/** From the start of the process to its first answer: with a new database, and with an existing one. */
export async function start(): Promise<string> {
  const first: number[] = []
  const later: number[] = []
  for (let round = 0; round < 3; round++) {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'catalogue-start-'))
    for (const times of [first, later, later]) {
      await using server = await startServer(npmStart, { DATA_DIR: folder.path, DATABASE_URL: '' })
      await (await fetch(`${server.url}/ready`)).text()
      times.push(performance.now() - server.began)
    }
  }
  const rows = [
    ['first start ever', figure(median(first) / 1000)],
    ['on an existing database', figure(median(later) / 1000)],
  ]
  return table(['start to first answer, with the embedded PostgreSQL', 's'], rows)
}

/** Resident memory of the gateway after 100,000 requests at 64 connections. */
export async function memory(env: Record<string, string>): Promise<string> {
  await using server = await startServer(npmStart, env)
  const before = await server.memory()
  for (let sent = 0; sent < 100_000; ) sent += (await load(rest('', server).target, 64, 10)).requests
  const after = await server.memory()
  const rows = [
    ['after the start', figure(before.now)],
    ['after 100,000 requests', figure(after.now)],
    ['at its highest', figure(after.peak)],
  ]
  return table(['resident memory of the gateway', 'MiB'], rows)
}
