import { writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { refusal, runCli } from '../support/clients/cli.ts'
import { addProducts, newStore } from '../support/factories.ts'
import { useFolder } from '../support/folder.ts'
import { useGateway } from '../support/servers/gateway.ts'
import { eventsOf, startReceiver, verified } from '../webhooks/receiver.ts'
import { forReceivers } from '../webhooks/support.ts'

const gateway = useGateway(forReceivers)
const folder = useFolder('all')
const env = () => ({ DATABASE_URL: gateway.database.url, OUTGOING_ALLOW: '127.0.0.0/8' })
const catalog = (...args: string[]) => runCli(args, env())
const write = async (name: string, text: string) => {
  await writeFile(folder.file(name), text)
  return folder.file(name)
}
const inJson = async (...args: string[]) => JSON.parse((await catalog(...args, '--json')).stdout)

it('catalog webhook creates, lists, tests, replays, rotates and deletes', async () => {
  const store = await newStore(gateway)
  const receiver = await startReceiver()
  const create = ['webhook', 'create', '--store', store, '--type', 'product.created']
  const { webhook_id: id, secret, cursor } = await inJson(...create, '--url', receiver.url)
  await addProducts(gateway, store, ['A'])
  await expect.poll(() => eventsOf(receiver.received).map(({ codes }) => codes)).toEqual([['A']])
  expect(receiver.received.map((one) => verified(one, secret))).toHaveLength(1)
  expect((await catalog('webhook', 'list', '--store', store)).stdout).toContain(`${id}  active  ${receiver.url}`)
  await catalog('webhook', 'test', id)
  await expect.poll(() => receiver.received.at(-1)?.body.type).toBe('webhook.ping')
  await expect.poll(async () => (await inJson('webhook', 'deliveries', id)).deliveries.length).toBe(2)
  await catalog('webhook', 'replay', id, '--from', cursor)
  await expect.poll(() => receiver.received.length).toBe(3)
  for (const act of ['retry', 'skip']) expect(await inJson('webhook', act, id)).toMatchObject({ state: 'active' })
  expect((await catalog('webhook', 'rotate', id)).stdout).toMatch(/^whsec_/)
  await catalog('webhook', 'delete', id)
  expect(await inJson('webhook', 'list', '--store', store)).toEqual({ webhooks: [] })
  expect(await catalog('webhook', 'retry', id)).toMatchObject(
    refusal(/there is no webhook with this id; "catalog webhook list"/),
  )
  for (const url of ['http://10.0.0.1', 'https://10.0.0.1', 'https://a.example:22']) {
    const hint = `, unless OUTGOING_ALLOW has its host; got "${url}"; set OUTGOING_ALLOW for this command and for the gateway`
    expect(await catalog(...create, '--url', url)).toMatchObject(refusal(hint))
  }
  for (const url of ['foo', 'https://user@a.example', `https://a.example/${'a'.repeat(3_000)}`]) {
    const { code, stderr } = await catalog(...create, '--url', url)
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.not.stringContaining('OUTGOING_ALLOW') })
  }
  // A text of the user is no code.
  const { stderr } = await catalog(...create, '--url', 'OUTGOING_ALLOW')
  expect(stderr).toContain('must be a URL with https:// and a host; got "OUTGOING_ALLOW"\n')
  const pushed = await write('private.yaml', 'webhooks:\n  - url: https://10.0.0.1\n')
  expect(await catalog('config', 'push', pushed, '--store', store)).toMatchObject(
    refusal(/unless OUTGOING_ALLOW has its host.*; set OUTGOING_ALLOW for this command/),
  )
})

it('catalog config has webhooks without secrets, and prints the secret of one that it creates', async () => {
  const [from, to] = [await newStore(gateway), await newStore(gateway)]
  await catalog('webhook', 'create', '--store', from, '--url', 'https://a.example/hook', '--type', 'link.created')
  const file = await write('store.yaml', (await catalog('config', 'pull', '--store', from)).stdout)
  expect((await catalog('config', 'pull', '--store', from)).stdout).not.toContain('whsec_')
  const pushed = await inJson('config', 'push', file, '--store', to)
  expect(pushed.differences).toMatchObject([{ action: 'add', kind: 'webhook', name: 'https://a.example/hook' }])
  expect(pushed.webhooks).toMatchObject([{ name: 'https://a.example/hook', secret: expect.stringMatching(/^whsec_/) }])
  expect(await inJson('config', 'push', file, '--store', to)).toMatchObject({ differences: [], webhooks: [] })
  const changed = await write('changed.yaml', 'webhooks:\n  - url: https://a.example/hook\n')
  expect((await inJson('config', 'push', changed, '--store', to)).differences).toMatchObject([{ action: 'change' }])
  const none = await write('none.yaml', 'webhooks: []\n')
  expect((await inJson('config', 'push', none, '--store', to)).differences).toMatchObject([{ action: 'remove' }])
})
