import { expect, it } from 'vitest'
import { ask, attempt } from '../../support/clients/operations.ts'
import { define, newStore } from '../../support/factories.ts'
import { useGateway } from '../../support/servers/gateway.ts'
import { times } from './attacker.ts'

const gateway = useGateway()

const large = (name: string) => ({ name, type: 'ENUM', allowedValues: times(10_000, (i) => 'v'.repeat(190) + i) })

interface Found {
  attributeDefinitions: { name: string }[]
}

it('the definitions of a store take at most 4 MiB, with those that it already has', async () => {
  const storeUuid = await newStore(gateway)
  const namesOf = async () => {
    const found = await ask<Found>(gateway, 'store', { storeUuid }, '{ attributeDefinitions { name } }')
    return found.attributeDefinitions.map(({ name }) => name)
  }
  await define(gateway, storeUuid, [large('a'), large('b')])
  const definitions = [large('c'), { name: 'd', type: 'TEXT' }]
  const details = /^the definitions of a store may take 4194304 bytes of JSON; with these they take 5\d{6}: /
  expect(await attempt(gateway, 'defineAttributes', { storeUuid, definitions })).toMatchObject({
    reason: 'payload_too_large',
    entries: [{ details: expect.stringMatching(details) }],
  })
  expect(await namesOf()).toEqual(['a', 'b'])
  await define(gateway, storeUuid, [{ name: 'a', type: 'TEXT' }, large('c')])
  expect(await namesOf()).toEqual(['a', 'b', 'c'])
})
