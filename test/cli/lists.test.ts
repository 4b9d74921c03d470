import { expect, it } from 'vitest'
import { runCli } from '../support/clients/cli.ts'
import { newStore } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()

it('prints lists of tokens and jobs in at most 80 columns, and all of them with --wide', async () => {
  const env = { DATABASE_URL: gateway.database.url }
  const store = await newStore(gateway)
  const name = 'a token with a name of many words'
  await runCli(['token', 'create', '--name', name, '--store', store], env)
  for (const words of [
    ['token', 'list'],
    ['job', 'list', '--store', store],
  ]) {
    const { stdout } = await runCli(words, env)
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  }
  expect((await runCli(['token', 'list', '--wide'], env)).stdout).toMatch(new RegExp(`read,write +${store} .*${name}`))
  expect((await runCli(['job', 'list', '--store', store, '--wide'], env)).stdout).toMatch(/CREATED +ROWS +FAILED/)
})

it('shows durations in its help as they are given', async () => {
  expect((await runCli(['changes', '--help'], {})).stdout).toMatch(/--since <duration> .*\(default:\s+24h\)/s)
})
