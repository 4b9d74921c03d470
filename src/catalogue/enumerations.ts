import { faultsOf, requireNoFaults } from '../errors.ts'
import { shown } from '../text.ts'

/** The allowed values: three lists come from the global configuration, two from the specification. */
export interface Enumerations {
  channels: readonly string[]
  assetFormats: readonly string[]
  storeTaxonomies: readonly string[]
  regions: readonly string[]
  defaultAutomations: readonly string[]
}

/** spec: Enumerations, region values. */
export const regions = [
  'India',
  'Africa',
  'Asia',
  'Europe',
  'Global',
  'Middle East',
  'North America',
  'Oceania',
  'South America',
] as const

/** spec: Enumerations, default_automation values. */
export const automations = [
  'color_distribution',
  'analyze_attribute',
  'analyze_image',
  'mask_computation',
  'product_listing_audit',
  'image_automation',
  'bulk_actions',
  'uniqueness_checker',
  'product_quality_score',
  'detail_shot_generator',
  'infographic_creator',
  'video_generation',
  'size_chart_creator',
  'data_sync_to_external',
  'delete_product_images',
  'bulk_edit',
  'data_export',
  'text_classifier',
  'optical_character_recognition',
  'image_classifier',
  'image_classifier_express',
  'image_classifier_precise',
  'conditional_attribution',
  'product_description',
  'product_title_generation',
  'SEO_Automations',
  'swatch_generation',
  'image_type',
  'image_upload',
  'bulk_image_upload',
  'hotspot_generation',
  'unique_content_generator',
  'master_automation',
  'multimedia_visibility',
  'background_removal',
  'face_swap',
  'service-1',
  'service-2',
  'service-3',
  'service-4',
  'service-5',
  'metadata_translation',
  'image_translation',
  'update_availability',
  'smp_upgrade',
  'SMP_image_upsert',
] as const

/** Always allowed, whatever the global configuration has. spec: GET /assets, the defaults of its parameters. */
export const defaultChannel = 'SMP'
export const defaultAssetFormat = 'image'

/** The values without a global configuration. */
export const fallbackEnumerations: Enumerations = {
  channels: [defaultChannel, ...Array.from({ length: 37 }, (_, i) => `channel_value_${i + 1}`)],
  assetFormats: [defaultAssetFormat, 'video', 'pdf', '3D', 'text'],
  storeTaxonomies: ['catalog', 'brand'],
  regions,
  defaultAutomations: automations,
}

/** The fault of a value that is not allowed, or undefined. */
export function oneOfFault(value: string, allowed: readonly string[]): string | undefined {
  return allowed.includes(value) ? undefined : `must be one of ${allowed.join(', ')}; got ${shown(value)}`
}

/** Throws `invalid_request` for a value that is not allowed. */
export function requireOneOf(field: string, value: string, allowed: readonly string[]): void {
  requireNoFaults(faultsOf([[field, oneOfFault(value, allowed)]]))
}

export const productStatuses = ['active', 'new', 'problem', 'inactive', 'draft', 'under review'] as const
export type ProductStatus = (typeof productStatuses)[number]

/** The GraphQL name of a REST value: `UNDER_REVIEW` for `under review`. */
export function enumNameOf(value: string): string {
  return value.replaceAll(/[^a-z0-9]/gi, '_').toUpperCase()
}

/** The status of a REST value or a GraphQL name, in any case; undefined for another text. */
export function productStatusOf(name: string): ProductStatus | undefined {
  const status = name.toLowerCase().replace('_', ' ')
  return isProductStatus(status) ? status : undefined
}

export function isProductStatus(value: string): value is ProductStatus {
  return (productStatuses as readonly string[]).includes(value)
}
