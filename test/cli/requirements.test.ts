import { expect, it } from 'vitest'
import { storeReadiness } from '../catalogue/readiness/support.ts'
import { runCli } from '../support/clients/cli.ts'
import { query, storeWithProducts } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()
const use = (...args: string[]) => runCli(['requirements', 'use', ...args], { DATABASE_URL: gateway.database.url })

it.each(['google-merchant', 'amazon', 'shopify'])(
  'sets the requirements of %s, with the names of the store',
  async (preset) => {
    const store = await storeWithProducts(gateway, ['A'])
    const given = [preset, '--store', store, '--channel', 'SMP', '--map', 'title=Name', '--json']
    const { code, stdout } = await use(...given)
    expect(code).toBe(0)
    const { requirements } = JSON.parse(stdout)
    expect(requirements.length).toBeGreaterThan(5)
    const document = `query ($store: ID!) { result: store(storeUuid: $store) {
    channelRequirements(channel: "SMP") { code kind attribute assetFormat minimum pattern severity whenAttribute whenValues } } }`
    const { result } = await query<{ channelRequirements: { attribute: string }[] }>(gateway, document, { store })
    expect(result.channelRequirements).toEqual(requirements)
    const attributes = result.channelRequirements.map(({ attribute }) => attribute)
    expect(attributes).not.toContain('title')
    expect(attributes.includes('Name')).toBe(preset === 'google-merchant')
  },
)

it('changes nothing in a dry run, and refuses a channel or store that there is not', async () => {
  const store = await storeWithProducts(gateway, ['A'])
  const dry = await use('shopify', '--store', store, '--channel', 'SMP', '--dry-run')
  expect(dry).toMatchObject({ code: 0, stdout: expect.stringMatching(/^required: Title\n/) })
  expect(await storeReadiness(gateway, store, 'SMP')).toBeNull()
  const nowhere = await use('shopify', '--store', store, '--channel', 'nowhere')
  expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining('channel must be one of SMP') })
  expect(await use('shopify', '--store', 'none', '--channel', 'SMP')).toMatchObject({ code: 2 })
})
