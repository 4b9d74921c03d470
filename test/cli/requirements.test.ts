import { expect, it } from 'vitest'
import { storeReadiness } from '../catalogue/readiness/support.ts'
import { refusal, runCli } from '../support/clients/cli.ts'
import { ask } from '../support/clients/operations.ts'
import { query, storeWithProducts } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()
const use = (...args: string[]) => runCli(['requirements', 'use', ...args], { DATABASE_URL: gateway.database.url })

it.each([
  ['google-merchant', 'title'],
  ['amazon', 'item_name'],
  ['shopify', 'Title'],
])('sets the requirements of %s, with the names of the store', async (preset, title) => {
  const store = await storeWithProducts(gateway, ['A'])
  const given = [preset, '--store', store, '--channel', 'SMP', '--map', `${title}=Name`, '--json']
  const { code, stdout } = await use(...given)
  expect(code).toBe(0)
  const { requirements } = JSON.parse(stdout)
  expect(requirements.length).toBeGreaterThan(5)
  const document = `query ($store: ID!) { result: store(storeUuid: $store) {
    channelRequirements(channel: "SMP") { code kind attribute assetFormat minimum pattern severity whenAttribute whenValues } } }`
  const { result } = await query<{ channelRequirements: { attribute: string }[] }>(gateway, document, { store })
  expect(result.channelRequirements).toEqual(requirements)
  const attributes = result.channelRequirements.map(({ attribute }) => attribute)
  expect(attributes).not.toContain(title)
  expect(attributes).toContain('Name')
  const recorded = `query ($store: ID!) { result: changeRows(storeUuids: [$store], limit: 1) { operation via kind } }`
  expect((await query<object[]>(gateway, recorded, { store })).result).toEqual([
    { operation: 'requirements use', via: 'CLI', kind: 'REQUIREMENT' },
  ])
})

it('changes nothing in a dry run, and refuses a channel or store that there is not', async () => {
  const store = await storeWithProducts(gateway, ['A'])
  const dry = await use('shopify', '--store', store, '--channel', 'SMP', '--dry-run')
  expect(dry).toMatchObject({ code: 0, stdout: expect.stringMatching(/^required: Title\n/) })
  expect(dry.stderr).toBe('9 requirements for the channel SMP (a dry run: nothing was changed)\n')
  expect(await storeReadiness(gateway, store, 'SMP')).toBeNull()
  const named = ['shopify', '--store', `of ${store}`, '--channel', 'SMP', '--dry-run']
  await ask(gateway, 'updateStore', { storeUuid: store, input: { storeName: `of ${store}` } }, '{ storeUuid }')
  expect(await use(...named)).toMatchObject({ code: 0, stdout: dry.stdout })
  for (const [map, problem] of [
    ['Title', '--map must be ATTRIBUTE=ATTRIBUTE; got "Title"'],
    ['title=Name', /--map must name an attribute of shopify: Title, .*; got "title"/],
  ] as const)
    expect(await use(...named, '--map', map)).toMatchObject(refusal(problem))
  const nowhere = await use('shopify', '--store', store, '--channel', 'nowhere')
  expect(nowhere).toMatchObject(refusal('channel must be one of SMP'))
  expect(await use('shopify', '--store', 'none', '--channel', 'SMP')).toMatchObject({ code: 2 })
})
