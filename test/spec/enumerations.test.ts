import { expect } from 'vitest'
import type { Item } from '../support/clients/client.ts'
import { graphqlClient } from '../support/clients/graphql-client.ts'
import { ask } from '../support/clients/operations.ts'
import { newStore, query, storeBody } from '../support/factories.ts'
import { graphql, requirements } from './requirement.ts'

/** Spec: Enumerations, word for word. */
const regions = [
  ...['India', 'Africa', 'Asia', 'Europe', 'Global'],
  ...['Middle East', 'North America', 'Oceania', 'South America'],
]
const assetFormats = ['image', 'video', 'pdf', '3D', 'text']
const channels = ['SMP', ...Array.from({ length: 37 }, (_, i) => `channel_value_${i + 1}`)]
const taxonomies = ['catalog', 'brand']
const automations = `
  color_distribution analyze_attribute analyze_image mask_computation product_listing_audit image_automation
  bulk_actions uniqueness_checker product_quality_score detail_shot_generator infographic_creator video_generation
  size_chart_creator data_sync_to_external delete_product_images bulk_edit data_export text_classifier
  optical_character_recognition image_classifier image_classifier_express image_classifier_precise
  conditional_attribution product_description product_title_generation SEO_Automations swatch_generation
  image_type image_upload bulk_image_upload hotspot_generation unique_content_generator master_automation
  multimedia_visibility background_removal face_swap service-1 service-2 service-3 service-4 service-5
  metadata_translation image_translation update_availability smp_upgrade SMP_image_upsert`
  .trim()
  .split(/\s+/)

requirements('enumerations', (gateway) => ({
  'ENUM-01 MUST have these regions, channels, formats, taxonomies and automations, in this order, and no others':
    graphql(async () => {
      const document = '{ result: enumerations { regions channels assetFormats storeTaxonomies defaultAutomations } }'
      expect((await query<Item>(gateway, document)).result).toEqual({
        regions,
        channels,
        assetFormats,
        storeTaxonomies: taxonomies,
        defaultAutomations: automations,
      })
      expect([channels.length, new Set(automations).size]).toEqual([38, automations.length])
    }),
  'ENUM-02 MUST take all values of every list together for a store': async (client) => {
    const body = storeBody({ region: regions, channels, default_automation: automations })
    const { data } = await client.createStore(body)
    const document = 'query ($uuid: ID!) { result: store(storeUuid: $uuid) { region channels defaultAutomation } }'
    const { result } = await query(gateway, document, { uuid: (data as Item).store_uuid })
    expect(result).toEqual({ region: regions, channels, defaultAutomation: automations })
  },
  'ENUM-03 MUST take both taxonomies': async (client) => {
    for (const taxonomy of taxonomies) {
      expect(await client.createStore(storeBody({ store_taxonomy: taxonomy }))).toMatchObject({ data: {} })
    }
  },
  'ENUM-04 MUST refuse any other value of each, also one in another case or of another enumeration': async (client) => {
    const wrong: [field: string, values: unknown[]][] = [
      ['store_taxonomy', ['Catalog', 'BRAND', '', ' brand', 'SMP', '__proto__']],
      ['region', [['india'], ['Antarctica'], ['middle east'], ['Middle_East'], ['SMP'], [''], ['toString']]],
      ['channels', [['smp'], ['channel_value_0'], ['channel_value_38'], ['channel_value_01'], ['Asia'], ['SMP ']]],
      ['default_automation', [['seo_automations'], ['service-0'], ['service-6'], ['smp_image_upsert'], ['catalog']]],
    ]
    for (const [field, values] of wrong) {
      for (const value of values) {
        const outcome = await client.createStore(storeBody({ [field]: value }))
        const named = [{ field: expect.stringMatching(new RegExp(`^${field}`)) }]
        expect(outcome, `${field} ${value}`).toMatchObject({ reason: 'invalid_request', entries: named })
      }
    }
  },
  'ENUM-05 MUST list every format': async (client) => {
    const store = await newStore(gateway)
    for (const format of assetFormats) {
      const outcome = await client.listAssets({ store_uuid: store, asset_format: format })
      expect(outcome, format).toMatchObject({ data: { total_groups: 0 } })
    }
  },
  'ENUM-06 MUST link assets on every channel': graphql(async () => {
    const store = await newStore(gateway)
    const assets = channels.map((channel) => ({ assetId: 'a', parentCode: 'P', channel, url: 'https://cdn.example/a' }))
    const added = await ask(gateway, 'addAssets', { storeUuid: store, assets }, '{ linked failed }')
    expect(added).toEqual({ linked: 38, failed: 0 })
    for (const channel of channels) {
      const outcome = await graphqlClient(gateway).listAssets({ store_uuid: store, channel })
      expect(outcome).toMatchObject({ data: { total_groups: 1, groups: [{ channel }] } })
    }
  }),
  'ENUM-07 MUST have the product statuses of the spec as an enum in upper case': graphql(async () => {
    const document = '{ result: __type(name: "ProductStatus") { enumValues { name } } }'
    const { result } = await query<{ enumValues: { name: string }[] }>(gateway, document)
    const names = result.enumValues.map(({ name }) => name)
    expect(names.sort()).toEqual(['ACTIVE', 'DRAFT', 'INACTIVE', 'NEW', 'PROBLEM', 'UNDER_REVIEW'])
  }),
}))
