import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newStore } from '../support/factories.ts'
import { token, useGateway } from '../support/servers/gateway.ts'
import { root } from '../support/sources.ts'

const run = promisify(execFile)
const tool = (name: string) => join(root, 'tools/node_modules/.bin', name)

const gateway = useGateway()
let folder: string
let document: string
beforeAll(async () => {
  folder = await mkdtemp(join(root, 'tools/generated-'))
  document = join(folder, 'openapi.json')
  const { text } = await gateway.call('/v1/openapi.json', { token: null })
  await writeFile(document, text)
})
afterAll(() => rm(folder, { recursive: true }))

it('Spectral and Redocly have nothing to say about the document', async () => {
  const spectral = ['lint', document, '--ruleset', join(root, 'tools/spectral.yaml'), '--fail-severity', 'hint']
  expect((await run(tool('spectral'), spectral)).stdout).toContain('No results')
  const redocly = await run(tool('redocly'), ['lint', document, '--config', join(root, 'tools/redocly.yaml')])
  expect(redocly.stderr).toContain('Your API description is valid')
  expect(redocly.stderr).not.toMatch(/warning/i)
})

it('the types of the client are what openapi-typescript makes of it', async () => {
  const made = join(folder, 'types.ts')
  await run(tool('openapi-typescript'), [join(root, 'docs/openapi.json'), '-o', made])
  expect(await readFile(made, 'utf8')).toBe(await readFile(join(root, 'rest/client/openapi.ts'), 'utf8'))
})

it('a client that @hey-api/openapi-ts makes of it works', async () => {
  const config = {
    input: document,
    output: { path: join(folder, 'hey'), importFileExtension: '.ts' },
    plugins: ['@hey-api/client-fetch', '@hey-api/sdk', '@hey-api/typescript'],
  }
  await writeFile(join(folder, 'config.mjs'), `export default ${JSON.stringify(config)}`)
  await run(tool('openapi-ts'), ['-f', join(folder, 'config.mjs')], { cwd: folder })
  const sdk = (await import(pathToFileURL(join(folder, 'hey/sdk.gen.ts')).href)) as Record<string, Operation>
  const { client } = await import(pathToFileURL(join(folder, 'hey/client.gen.ts')).href)
  client.setConfig({ baseUrl: `${gateway.url}/v1`, auth: token })
  const store_uuid = await newStore(gateway)
  const products = [{ product_code: '1002', Color: 'Blue', 'Image URL 1': 'https://cdn.example.com/1002.jpg' }]
  const created = await sdk.createProducts?.({ query: { store_uuid }, body: products })
  expect(created?.data).toMatchObject({ data: { created_skus: ['1002'] } })
  const listed = await sdk.listAssets?.({ query: { store_uuid, limit: 5 } })
  expect(listed?.data).toMatchObject({ data: { total_groups: 1, assets: { 1002: { asset_type: 'image' } } } })
  const deleted = await sdk.deleteAssets?.({ body: [{ store_uuid, parent_code: '1002' }] })
  expect(deleted?.data).toMatchObject({ data: { deleted_count: 1 } })
  const refused = await sdk.listAssets?.({ query: { store_uuid, limit: 0 } })
  expect(refused?.error).toMatchObject({ data: { error_info: [{ reason: 'invalid_request', field: 'limit' }] } })
})

type Operation = (options: object) => Promise<{ data?: unknown; error?: unknown }>
