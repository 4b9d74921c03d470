import { execFile, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { restData } from '../support/clients/rest-client.ts'
import { addProducts, newStore } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'
import { freePort, listen } from '../support/servers/loopback.ts'
import { createWebhook, deliveries, forReceivers } from '../webhooks/support.ts'

const gateway = useGateway(forReceivers)
const root = fileURLToPath(new URL('../..', import.meta.url))

const receivers = [
  ['node', 'examples/webhook-receiver.ts'],
  ['python3', 'examples/webhook_receiver.py'],
] as const

it.each(receivers)('%s %s receives what is genuine', async (program, file) => {
  const store = await newStore(gateway)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/hook`
  const { id, secret } = await createWebhook(gateway, store, url, { filter: { types: ['product.created'] } })
  const receiver = spawn(program, [file], {
    cwd: root,
    env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void receiver.kill())
  let printed = ''
  receiver.stdout.on('data', (text) => {
    printed += text
  })
  await addProducts(gateway, store, ['A', 'B'])
  await addProducts(gateway, store, ['C'])
  await expect
    .poll(() =>
      printed
        .split('\n')
        .filter(Boolean)
        .flatMap((line) => line.split(' ').slice(1)),
    )
    .toEqual([...['A', 'B', 'C']])
  const large = Array.from({ length: 201 }, (_, i) => `P${i}`)
  await addProducts(gateway, store, large)
  await expect.poll(() => printed).toMatch(/^more: GET \/v1\/requests\//m)
  const [, path] = printed.match(/^more: GET \/v1(.*)$/m) ?? []
  const { changes } = await restData(gateway, `GET ${path}`)
  expect(changes).toMatchObject([{ codes: large }])
  const forged = {
    'webhook-id': 'x',
    'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
    'webhook-signature': 'v1,AA==',
  }
  const answer = await fetch(url, { method: 'POST', headers: forged, body: '{}' })
  expect(answer.status).toBe(401)
  await expect.poll(() => printed).toMatch(/^refused: bad signature or time$/m)
  expect((await deliveries(gateway, id)).at(0)).toMatchObject({ httpStatus: 204 })
})

it.each(receivers)('%s %s says which secret it needs', async (program, file) => {
  const { WEBHOOK_SECRET: _, ...env } = process.env
  const receiver = promisify(execFile)(program, [file], { cwd: root, env })
  await expect(receiver).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^set WEBHOOK_SECRET to .*\n$/),
  })
})

it.each(receivers)('%s %s says that its port is in use', async (program, file) => {
  const server = createServer()
  onTestFinished(() => void server.close())
  const port = await listen(server)
  const env = { ...process.env, WEBHOOK_SECRET: 'whsec_c2VjcmV0', PORT: String(port) }
  const receiver = promisify(execFile)(program, [file], { cwd: root, env })
  await expect(receiver).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(new RegExp(`^cannot listen on port ${port}: .*; set PORT to another one\\n$`)),
  })
})
