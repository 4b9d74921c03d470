import { expect, it } from 'vitest'
import { define, newStore } from '../../support/factories.ts'
import { type GraphQLReply, useGateway } from '../../support/servers/gateway.ts'
import { times } from './attacker.ts'

const gateway = useGateway()

const document =
  'mutation ($s: ID!, $d: [AttributeDefinitionInput!]!) { defineAttributes(storeUuid: $s, definitions: $d) { name } }'
const large = (name: string) => ({ name, type: 'ENUM', allowedValues: times(10_000, (i) => 'v'.repeat(190) + i) })

it('the definitions of a store take at most 4 MiB, with those that it already has', async () => {
  const s = await newStore(gateway)
  const namesOf = async () => {
    const query = `{ store(storeUuid: "${s}") { attributeDefinitions { name } } }`
    const { store } = await gateway.data(query)
    return (store as unknown as { attributeDefinitions: { name: string }[] }).attributeDefinitions.map(
      ({ name }) => name,
    )
  }
  await define(gateway, s, [large('a'), large('b')])
  const { errors } = (await gateway.graphql(document, {
    s,
    d: [large('c'), { name: 'd', type: 'TEXT' }],
  })) as GraphQLReply
  expect(errors?.[0]).toMatchObject({
    message: expect.stringMatching(
      /^the definitions of a store may take 4194304 bytes of JSON; with these they take 5\d{6}: /,
    ),
    extensions: { code: 'payload_too_large' },
  })
  expect(await namesOf()).toEqual(['a', 'b'])
  await define(gateway, s, [{ name: 'a', type: 'TEXT' }, large('c')])
  expect(await namesOf()).toEqual(['a', 'b', 'c'])
})
