import { pino } from 'pino'
import { expect, it } from 'vitest'
import { newStore } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'

const lines: string[] = []
const gateway = useGateway({ log: pino({}, { write: (line: string) => lines.push(line) }) })

it.each([
  ['GET', 'limt=5&naïve=%0d', undefined],
  ['PUT', 'dryrun=true', [{ product_code: '1' }]],
])('names unknown query parameters of %s in the header Warning and in the log', async (method, query, body) => {
  const store = await newStore(gateway)
  const names = query.split('&').map((pair) => pair.split('=')[0]?.replace('ï', '.+'))
  const warning = new RegExp(
    `^299 - "unknown query parameters are ignored: ${names.join(', ')}; expected some of .*store_uuid`,
  )
  for (let request = 0; request < 2; request++) {
    const path = `/v1/products?store_uuid=${store}&${encodeURI(query)}`
    const { status, headers } = await gateway.call(path, { method, body })
    expect([status, headers.warning]).toEqual([200, expect.stringMatching(warning)])
  }
  await expect.poll(() => lines.filter((line) => warning.test(JSON.parse(line).warning ?? '')).length).toBe(2)
})

it('has no Warning otherwise', async () => {
  const { headers } = await gateway.call('/v1/stores?limit=5&')
  expect(headers.warning).toBeUndefined()
})
