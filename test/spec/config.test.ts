import { pino } from 'pino'
import { expect, onTestFinished } from 'vitest'
import { startGlobalConfig } from '../../src/global-config/global-config.ts'
import type { Client } from '../support/clients/client.ts'
import { graphqlClient } from '../support/clients/graphql-client.ts'
import { restClient } from '../support/clients/rest-client.ts'
import { addAssets, newStore, query, storeBody, urlOf } from '../support/factories.ts'
import { type ConfigFile, configFile } from '../support/global-config.ts'
import { startTestGateway, type TestGateway } from '../support/servers/gateway.ts'
import { graphql, requirements } from './requirement.ts'

const refreshMs = 50

requirements('global configuration', () => ({
  'CONFIG-01 MUST name the URL fields of another format after it: audio has Audio URL n': bothConfigured(
    { asset_formats: ['image', 'audio', 'éclair', 'x-ray'] },
    async (gateway, client) => {
      const store = await newStore(gateway)
      const words = { audio: 'Audio', éclair: 'Éclair', 'x-ray': 'X-ray', image: 'Image' }
      for (const [assetFormat, word] of Object.entries(words)) {
        await addAssets(gateway, store, [
          [`${word} 1`, 'P', { assetFormat }],
          [`${word} 2`, 'P', { assetFormat }],
        ])
        const entries = [1, 2].map((n) => ({ asset_id: `${word} ${n}`, [`${word} URL ${n}`]: urlOf(`${word} ${n}`) }))
        const outcome = await client.listAssets({ store_uuid: store, asset_format: assetFormat })
        expect(outcome).toMatchObject({ data: { groups: [{ asset_type: assetFormat, assets: entries }] } })
      }
    },
  ),
  'CONFIG-02 MUST refuse a format that is not configured, and name those that are': bothConfigured(
    { asset_formats: ['audio', 'image'] },
    async (gateway, client) => {
      const outcome = await client.listAssets({ store_uuid: await newStore(gateway), asset_format: 'video' })
      const details = expect.stringContaining('audio, image')
      expect(outcome).toMatchObject({ reason: 'invalid_request', entries: [{ details }] })
    },
  ),
  'CONFIG-03 MUST take the configured channels, SMP always among them, and no others': bothConfigured(
    { channels: ['web', 'shop'] },
    async (_gateway, client) => {
      expect(await client.createStore(storeBody({ channels: ['web', 'SMP', 'shop'] }))).toMatchObject({ data: {} })
      const refused = await client.createStore(storeBody({ channels: ['channel_value_1'] }))
      expect(refused).toMatchObject({ reason: 'invalid_request', entries: [{ field: 'channels[0]' }] })
    },
  ),
  'CONFIG-04 MUST take the first configured taxonomy for what the spec calls catalog': bothConfigured(
    { store_taxonomies: ['acme', 'brand'] },
    async (gateway, client) => {
      const { data } = await client.createStore(storeBody({ store_taxonomy: 'acme' }))
      const document = 'query ($uuid: ID!) { result: store(storeUuid: $uuid) { storeTaxonomy } }'
      const { store_uuid: uuid } = data as { store_uuid: string }
      expect((await query(gateway, document, { uuid })).result).toEqual({ storeTaxonomy: 'acme' })
      const refused = await client.createStore(storeBody({ store_taxonomy: 'catalog' }))
      expect(refused).toMatchObject({ reason: 'invalid_request', entries: [{ field: 'store_taxonomy' }] })
    },
  ),
  'CONFIG-05 MUST leave what is configured no key of as it is without a configuration': graphql(
    configured({ asset_formats: ['audio'] }, async (gateway) => {
      const { result } = await query<Enumerations>(gateway, enumerations)
      expect(result.assetFormats).toEqual(['audio'])
      expect([result.channels.length, result.storeTaxonomies]).toEqual([38, ['catalog', 'brand']])
    }),
  ),
  'CONFIG-06 MUST follow the configuration at run time: without a restart, and back to the last good one never':
    graphql(
      configured({ asset_formats: ['image'], channels: ['web'] }, async (gateway, file) => {
        await file.write({ asset_formats: ['image', 'audio'] })
        await expect.poll(() => read(gateway)).toMatchObject({ assetFormats: ['image', 'audio'] })
        expect((await read(gateway)).channels).toHaveLength(38)
        await file.write('{ malformed')
        await new Promise((resolve) => setTimeout(resolve, 4 * refreshMs))
        expect(await read(gateway)).toMatchObject({ assetFormats: ['image', 'audio'] })
      }),
    ),
  'CONFIG-07 MUST go on listing, deleting and unlinking assets of a channel that is configured no longer': graphql(
    configured({ channels: ['web'] }, async (gateway, file) => {
      const store = await newStore(gateway)
      await addAssets(gateway, store, [
        ['a', 'P', { channel: 'web' }],
        ['b', 'P', { channel: 'web' }],
      ])
      await file.write({ channels: ['shop'] })
      await expect.poll(async () => (await read(gateway)).channels).toEqual(['SMP', 'shop'])
      const client = graphqlClient(gateway)
      const listed = await client.listAssets({ store_uuid: store, channel: 'web' })
      expect(listed).toMatchObject({ data: { total_groups: 1 } })
      const link = { store_uuid: store, parent_code: 'P', channel: 'web', asset_id: 'a' }
      expect(await client.unlinkAssets([link])).toMatchObject({ data: { unlinked: 1 } })
      const deleted = await client.deleteAssets([{ store_uuid: store, channel: 'web' }])
      expect(deleted).toMatchObject({ data: { deleted_count: 1 } })
    }),
  ),
}))

interface Enumerations {
  assetFormats: string[]
  channels: string[]
  storeTaxonomies: string[]
}

const enumerations = '{ result: enumerations { assetFormats channels storeTaxonomies } }'

async function read(gateway: TestGateway): Promise<Enumerations> {
  return (await query<Enumerations>(gateway, enumerations)).result
}

/** Runs a check on a gateway of its own, whose global configuration is a file. */
function configured(content: object, check: (gateway: TestGateway, file: ConfigFile) => Promise<void>) {
  return async () => {
    const file = await configFile(content)
    const globalConfig = await startGlobalConfig(
      { globalConfig: file.url, globalConfigRefreshMs: refreshMs },
      pino({ level: 'silent' }),
    )
    const gateway = await startTestGateway({ globalConfig })
    onTestFinished(async () => {
      globalConfig.stop()
      await gateway.stop()
      await file.remove()
    })
    await check(gateway, file)
  }
}

function bothConfigured(content: object, check: (gateway: TestGateway, client: Client) => Promise<void>) {
  return {
    rest: configured(content, (gateway) => check(gateway, restClient(gateway))),
    graphql: configured(content, (gateway) => check(gateway, graphqlClient(gateway))),
  }
}
