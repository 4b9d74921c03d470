import { pino } from 'pino'
import { expect, it } from 'vitest'
import { readConfig } from '../../src/app/config.ts'
import { useGateway } from '../support/servers/gateway.ts'

const lines: string[] = []
const log = pino({}, { write: (line: string) => lines.push(line) })
const { corsOrigins } = readConfig({ CORS_ORIGINS: 'https://shop.example/, null' })
const gateway = useGateway({ more: { corsOrigins, log } })

const allowedFor = async (origin: string, more: object = {}) => {
  const { headers } = await gateway.call('/v1/stores', { headers: { origin, ...more } })
  return headers['access-control-allow-origin']
}

it('lets in the configured origins, with or without a trailing slash, and null for pages of files', async () => {
  expect(await allowedFor('https://shop.example')).toBe('https://shop.example')
  expect(await allowedFor('null')).toBe('null')
})

it('logs a refused origin once, with the setting to change, and its own pages never', async () => {
  for (let request = 0; request < 2; request++) expect(await allowedFor('https://other.example')).toBeUndefined()
  await allowedFor(gateway.url)
  await allowedFor('https://proxy.example', { 'sec-fetch-site': 'same-origin' })
  const refused = lines.filter((line) => line.includes('CORS_ORIGINS'))
  expect(refused).toEqual([expect.stringContaining('https://other.example')])
})
