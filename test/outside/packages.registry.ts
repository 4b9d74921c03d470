import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Program, startProgram, unprivileged } from '../support/servers/program.ts'
import { root } from '../support/sources.ts'

/** What a person who installs the packages does, on each supported line of Node, which the package `node` brings. */
const lines = [22, 24, 26]

const run = promisify(execFile)
const version: string = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).version
const token = 'a-token-of-the-packages-test'

let folder: string
let gatewayFile: string
let clientFile: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packages-'))
  await run('npm', ['run', 'build'], { cwd: root })
  const pack = ['pack', '--pack-destination', folder]
  await run('npm', [...pack, './dist'], { cwd: root })
  await run('npm', [...pack, '--workspace', 'catalogue-gateway-client'], { cwd: root })
  gatewayFile = join(folder, `catalogue-gateway-${version}.tgz`)
  clientFile = join(folder, `catalogue-gateway-client-${version}.tgz`)
}, 600_000)
afterAll(() => rm(folder, { recursive: true }))

const consumer = `
import { CatalogueApiError, createCatalogueClient } from 'catalogue-gateway-client'

const options = { baseUrl: \`\${process.argv[2]}/v1\`, token: '${token}' }
const store = { store_name: 'Packed', store_taxonomy: 'catalog', region: [], channels: ['SMP'], default_automation: [] } as const
const { store_uuid } = await createCatalogueClient(options).createStore({ ...store, region: ['Europe'], channels: ['SMP'], default_automation: [] })
const page = await createCatalogueClient(options).listAssets({ store_uuid })
const total: number = page.total_groups
const refused = await createCatalogueClient({ ...options, token: 'none', retries: 0 }).listAssets({ store_uuid }).catch((error: unknown) => error)
console.log(JSON.stringify({ total, status: refused instanceof CatalogueApiError && refused.status }))
`

it.each(lines)('both packages work when they are installed on Node %i', { timeout: 900_000 }, async (line) => {
  const cwd = join(folder, String(line))
  await mkdir(cwd)
  await writeFile(join(cwd, 'package.json'), '{"private": true, "type": "module"}')
  const packages = [`node@${line}`, gatewayFile, clientFile, 'typescript@5', '@types/node@22']
  await run('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd })
  const bin = join(cwd, 'node_modules/.bin')
  expect((await run(join(bin, 'node'), ['--version'])).stdout).toMatch(`v${line}.`)
  expect((await run('npx', ['catalog', '--version'], { cwd })).stdout).toBe(`${version}\n`)

  await writeFile(join(cwd, 'consumer.ts'), consumer)
  await run(join(bin, 'tsc'), ['--strict', '--module', 'nodenext', '--target', 'es2024', 'consumer.ts'], { cwd })
  const [npx = '', ...args] = unprivileged('npx', 'catalog', 'serve')
  const env = { PATH: process.env.PATH ?? '', DATA_DIR: join(cwd, 'data'), BOOTSTRAP_TOKEN: token, HOME: folder }
  const gateway: Program = await startProgram(args, env, () => {}, npx, cwd)
  try {
    expect(await (await fetch(`${gateway.url}/health`)).json()).toEqual({ status: 'ok', version })
    for (const path of ['/', '/docs', '/graphql', '/static/scalar.js', '/v1/openapi.json'])
      expect((await fetch(gateway.url + path, { headers: { accept: 'text/html, */*' } })).status, path).toBe(200)
    const { stdout } = await run(join(bin, 'node'), ['consumer.js', gateway.url], { cwd })
    expect(JSON.parse(stdout)).toEqual({ total: 0, status: 401 })
  } finally {
    await gateway.end()
  }
})

it('the client brings no other package', { timeout: 300_000 }, async () => {
  const cwd = join(folder, 'client')
  await mkdir(cwd)
  await writeFile(join(cwd, 'package.json'), '{"private": true}')
  await run('npm', ['install', '--no-audit', '--no-fund', clientFile], { cwd })
  const installed = await readdir(join(cwd, 'node_modules'))
  expect(installed.filter((name) => !name.startsWith('.'))).toEqual(['catalogue-gateway-client'])
})

it('the packages hold neither tests nor TypeScript sources', async () => {
  for (const file of [gatewayFile, clientFile]) {
    const { stdout } = await run('tar', ['-tzf', file])
    const names = stdout.trim().split('\n')
    expect(names.filter((name) => /(?<!\.d)\.ts$|\/test\//.test(name))).toEqual([])
    expect(names.length).toBeLessThan(400)
  }
})
