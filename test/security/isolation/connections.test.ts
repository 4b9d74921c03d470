import { expect, it } from 'vitest'
import { storeWithAssets } from '../../support/factories.ts'
import { useGateway } from '../../support/servers/gateway.ts'
import { newToken } from '../../support/tokens.ts'

const gateway = useGateway()

it('a token whose requests wait for the database leaves connections to others', async () => {
  const [mine, other] = [await storeWithAssets(gateway, [['a', '1']]), await storeWithAssets(gateway, [['b', '1']])]
  const [first, second] = await Promise.all(
    [mine, other].map((store) => newToken(gateway, { scopes: ['READ', 'WRITE'], stores: [store] })),
  )
  const holder = await gateway.database.client()
  await holder.query('begin; lock table asset in access exclusive mode')
  const body = [{ store_uuid: mine, asset_id: ['a'] }]
  const deletions = Array.from({ length: 12 }, () =>
    gateway.call('/v1/assets', { method: 'DELETE', body, token: first?.secret ?? '' }),
  )
  await expect.poll(() => gateway.database.lockWaiters()).toBe(5)
  const listing = await gateway.call(`/v1/assets?store_uuid=${other}`, { token: second?.secret ?? '' })
  expect(listing.status).toBe(200)
  await holder.query('commit')
  await holder.end()
  await Promise.all(deletions)
})
