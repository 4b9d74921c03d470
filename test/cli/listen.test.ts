import { expect, it, onTestFinished } from 'vitest'
import { outcomeOf, refusal, runCli, startCli } from '../support/clients/cli.ts'
import { restData } from '../support/clients/rest-client.ts'
import { settled } from '../support/database/changes.ts'
import { addProducts, newStore } from '../support/factories.ts'
import { startFaultProxy } from '../support/servers/fault-proxy.ts'
import { token, useGateway } from '../support/servers/gateway.ts'
import { newToken } from '../support/tokens.ts'
import { startReceiver, status, verified } from '../webhooks/receiver.ts'

const gateway = useGateway()

/** The command, once it is connected. */
async function listen(store: string, args: readonly string[] = [], url = gateway.url) {
  await settled(gateway.database)
  const child = startCli(['listen', '--url', url, '--store', store, ...args], { CATALOGUE_TOKEN: token })
  onTestFinished(() => void child.kill('SIGKILL'))
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.on('data', (text) => {
      said[name] += text
    })
  }
  const end = outcomeOf(child)
  await expect.poll(() => said.stderr).toContain('listening')
  return {
    lines: () => said.stdout.split('\n').filter(Boolean),
    stderr: () => said.stderr,
    end: () => {
      child.kill('SIGINT')
      return end
    },
  }
}

it('catalog listen prints the changes that match as JSON lines, and ends with 0 on Ctrl-C', async () => {
  const store = await newStore(gateway)
  const listening = await listen(store, ['--types', 'product.created', '--code-prefix', 'A'])
  await addProducts(gateway, store, ['A1', 'B1'])
  await restData(gateway, `DELETE /products?store_uuid=${store}`, ['A1'])
  await addProducts(gateway, store, ['A2'])
  await expect.poll(() => listening.lines().length).toBe(2)
  const events = listening.lines().map((line) => JSON.parse(line))
  expect(events).toMatchObject([
    { type: 'product.created', codes: ['A1'], store_uuid: store },
    { type: 'product.created', codes: ['A2'] },
  ])
  expect(await listening.end()).toMatchObject({ code: 0, stderr: `${gateway.url}: listening\n` })
  const again = await listen(store, [
    '--after',
    events[0].cursor,
    '--operations',
    `deleteAssets,${events[1].operation}`,
  ])
  await expect.poll(() => again.lines().map((line) => JSON.parse(line).codes)).toEqual([['A2']])
})

it('catalog listen takes the name of a store that no other has', async () => {
  const store = await newStore(gateway, { store_name: 'Heard by name' })
  await newStore(gateway, { store_name: 'Heard by name, too' })
  const listening = await listen('Heard by name')
  await addProducts(gateway, store, ['A'])
  await expect.poll(() => listening.lines().map((line) => JSON.parse(line).codes)).toEqual([['A']])
  await newStore(gateway, { store_name: 'Heard by name' })
  for (const [name, fault] of [
    ['Heard by name', 'several stores have the name "Heard by name"'],
    ['Unheard', 'no store has the name "Unheard"'],
  ] as const) {
    const refused = await runCli(['listen', '--url', gateway.url, '--store', name], { CATALOGUE_TOKEN: token })
    expect(refused).toMatchObject(refusal(fault))
  }
})

it('catalog listen finds its store among all whose name contains the given one, when the gateway is back', async () => {
  const named = Array.from({ length: 101 }, (_, i) => newStore(gateway, { store_name: `${i} of many` }))
  await Promise.all(named)
  const store = await newStore(gateway, { store_name: 'of many' })
  await Promise.all(named.map((_, i) => newStore(gateway, { store_name: `again ${i} of many` })))
  await using proxy = await startFaultProxy({ host: '127.0.0.1', port: Number(new URL(gateway.url).port) })
  await proxy.set({ kind: 'reject' })
  const starting = listen('of many', [], `http://127.0.0.1:${proxy.connection.port}`)
  let rejected = 0
  const countRejected = () => {
    rejected += proxy.rejected()
    return rejected
  }
  await expect.poll(countRejected).toBeGreaterThan(4)
  await proxy.set({ kind: 'none' })
  const listening = await starting
  await addProducts(gateway, store, ['A'])
  await expect.poll(() => listening.lines().map((line) => JSON.parse(line).codes)).toEqual([['A']])
})

it('catalog listen goes on after the last change when its connection is lost', async () => {
  const store = await newStore(gateway)
  await using proxy = await startFaultProxy({ host: '127.0.0.1', port: Number(new URL(gateway.url).port) })
  const listening = await listen(store, [], `http://127.0.0.1:${proxy.connection.port}/`)
  const codes = () => listening.lines().flatMap((line) => JSON.parse(line).codes)
  await addProducts(gateway, store, ['A'])
  await expect.poll(codes).toEqual(['A'])
  await proxy.set({ kind: 'down' })
  await addProducts(gateway, store, ['B'])
  await expect.poll(listening.stderr).toContain('ECONNREFUSED')
  await proxy.set({ kind: 'none' })
  await addProducts(gateway, store, ['C'])
  await expect.poll(codes).toEqual(['A', 'B', 'C'])
  expect((await listening.end()).code).toBe(0)
})

it('catalog listen posts the changes as a webhook does, signed with the secret that it prints first', async () => {
  const store = await newStore(gateway)
  const receiver = await startReceiver((...given) => status(given[2] === 0 ? 500 : 204)(...given))
  const listening = await listen(store, ['--forward-to', receiver.url])
  const codes = Array.from({ length: 300 }, (_, i) => `P${i}`)
  for (const some of [['A'], codes]) await addProducts(gateway, store, some)
  await expect.poll(() => listening.lines().length).toBe(3)
  const [secret = '', ...lines] = listening.lines()
  expect(lines).toEqual([
    expect.stringMatching(/ {2}product\.created {2}\S+ {2}500$/),
    expect.stringMatching(/ {2}product\.created {2}\S+ {2}204$/),
  ])
  expect(receiver.received.map((one) => verified(one, secret))).toMatchObject([
    { type: 'product.created', timestamp: expect.any(String), data: { codes: ['A'] } },
    { type: 'product.created', data: { codes: { length: 200 }, more: true } },
  ])
})

it('catalog listen ends with 2 and the sentence of the gateway when it refuses the request', async () => {
  const store = await newStore(gateway)
  const limited = await newToken(gateway, { scopes: ['WRITE'] })
  const run = (of: string, own: string, ...more: string[]) =>
    runCli(['listen', '--url', gateway.url, '--store', of, ...more], { CATALOGUE_TOKEN: own })
  expect(await run(store, token, '--types', 'x.y')).toMatchObject(refusal('got "x.y"'))
  expect(await run(store, 'nonsense')).toMatchObject(refusal(/token/))
  expect(await run(store, limited.secret)).toMatchObject(refusal(/scope/))
  expect(await run('00000000-0000-4000-8000-000000000000', token)).toMatchObject(refusal(/store/))
  expect(await run(store, token, '--after', 'x')).toMatchObject(refusal(/after/))
  expect(await run(store, token, '--forward-to', 'x')).toMatchObject(refusal('must be a URL'))
  expect(await runCli(['listen', '--store', store], {})).toMatchObject(refusal('--token'))
})
