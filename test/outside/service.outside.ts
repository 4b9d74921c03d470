import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../support/database/database.ts'
import { useFolder } from '../support/folder.ts'
import { startTestGateway, token } from '../support/servers/gateway.ts'
import { program } from '../support/servers/installed.ts'
import { freePort } from '../support/servers/loopback.ts'
import { startProgram } from '../support/servers/program.ts'
import { root } from '../support/sources.ts'

const folder = useFolder()
const run = promisify(execFile)
const read = (path: string) => readFile(join(root, path), 'utf8')

it('the unit of systemd is valid, and its command serves with its variables', async () => {
  const shipped = await read('deploy/systemd/catalogue-gateway.service')
  const [, installed = ''] = /^ExecStart=(.*)\/bin\/catalog /m.exec(shipped) ?? []
  const unit = shipped.replaceAll(installed, root.replace(/\/$/, ''))
  await writeFile(folder.file('catalogue-gateway.service'), unit)
  const { stdout, stderr } = await run(program('systemd-analyze'), ['verify', folder.file('catalogue-gateway.service')])
  expect(stdout + stderr).not.toContain('catalogue-gateway.service')
  await using database = await createTestDatabase({ empty: true })
  const [command = '', ...args] = /^ExecStart=(.*)$/m.exec(unit)?.[1]?.split(' ') ?? []
  const variables = [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value])
  const env = { ...Object.fromEntries(variables), DATABASE_URL: database.url }
  const gateway = await startProgram(args, env, () => {}, command, '/')
  expect((await fetch(`${gateway.url}/ready`)).status).toBe(200)
  expect(await gateway.end()).toEqual([0, null])
})

it('nginx with its file speaks TLS, and passes on request ids and bodies of 10 MiB; refusals are those of the gateway', async () => {
  await using gateway = await startTestGateway()
  const [name, port] = ['catalogue.example.com', await freePort()]
  const [pem, key] = [folder.file('catalogue.pem'), folder.file('catalogue.key')]
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
  await run(program('openssl'), [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    key,
    '-out',
    pem,
    ...subject,
  ])
  const server = (await read('deploy/nginx/catalogue-gateway.conf'))
    .replace('127.0.0.1:4000', new URL(gateway.url).host)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('/etc/nginx/catalogue.pem', pem)
    .replace('/etc/nginx/catalogue.key', key)
  await writeFile(folder.file('catalogue-gateway.conf'), server)
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${kind};`)
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const http = `${paths.join(' ')} access_log off; include ${folder.file('catalogue-gateway.conf')};`
  const main = `${user} daemon off; pid nginx.pid; error_log stderr; events {} http { ${http} }`
  await writeFile(folder.file('nginx.conf'), main)
  const nginx = spawn(program('nginx'), ['-p', folder.path, '-c', folder.file('nginx.conf')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(nginx, 'exit')
  onTestFinished(async () => {
    nginx.kill('SIGTERM')
    await ended
  })
  const ca = await readFile(pem)
  const call = async (method: string, path: string, body = '') => {
    const headers = { authorization: `Bearer ${token}`, 'x-request-id': 'mine', 'content-type': 'application/json' }
    const outgoing = request({ host: '127.0.0.1', port, servername: name, ca, method, path, headers, agent: false })
    const answered = once(outgoing, 'response')
    outgoing.end(body)
    const [answer] = await answered
    return { status: answer.statusCode, id: answer.headers['x-request-id'], body: await text(answer) }
  }
  await expect.poll(() => call('GET', '/ready').then(({ status }) => status, String)).toBe(200)
  expect(await call('GET', '/v1/stores')).toMatchObject({ status: 200, id: 'mine' })
  const products = (mebibytes: number) =>
    JSON.stringify(Array.from({ length: mebibytes * 32 }, (_, i) => ({ product_code: `${i}`, A: 'x'.repeat(32_700) })))
  const put = (mebibytes: number) => call('PUT', '/v1/products?store_uuid=none', products(mebibytes))
  expect(await put(9.9)).toMatchObject({ status: 404, id: 'mine', body: expect.stringContaining('store_not_found') })
  expect(await put(10.5)).toMatchObject({ status: 413, body: expect.stringContaining('payload_too_large') })
})
