import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { beforeAll, expect, it } from 'vitest'
import { fallbackEnumerations } from '../../../src/catalogue/enumerations.ts'
import { loadDemo } from '../../../src/demo/demo.ts'
import { token, useGateway } from '../../support/servers/gateway.ts'

const gateway = useGateway()
beforeAll(async () => {
  await loadDemo(gateway.database.catalogue, fallbackEnumerations, pino({ level: 'silent' }))
})

async function run(example: string, env: Record<string, string> = {}): Promise<string> {
  const file = fileURLToPath(new URL(`../../../examples/${example}`, import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [file], {
    env: { BASE: gateway.url, TOKEN: token, ...env },
  })
  return stdout
}

it('the dashboard shows the stores of the demo', async () => {
  const lines = (await run('dashboard.ts')).trimEnd().split('\n')
  expect(lines).toHaveLength(10)
  expect(lines[0]).toBe('3 stores')
  expect(lines).toContainEqual(expect.stringMatching(/^Fernwood Outfitters: 150 products, \d+ of them active$/))
})

it('the listing shows every image of a store, in the order of the parent codes', async () => {
  const { stores } = (await gateway.data(
    '{ stores(filter: { search: "Harbour" }) { edges { node { storeUuid } } } }',
  )) as unknown as { stores: { edges: { node: { storeUuid: string } }[] } }
  const lines = (await run('all-assets.ts', { STORE: stores.edges[0]?.node.storeUuid ?? '' })).trimEnd().split('\n')
  const codes = lines.map((line) => line.split(' ')[0])
  expect(new Set(codes).size).toBe(100)
  expect(codes).toEqual(codes.toSorted())
})
