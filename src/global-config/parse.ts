import { z } from 'zod'
import type { Enumerations } from '../catalogue/enumerations.ts'
import { isName } from '../text.ts'

/** With 64 characters the longest key of a group fits into an index of PostgreSQL. */
const name = z.string().refine((value) => isName(value, 64), 'must have 1 to 64 characters')
const names = z.array(name).min(1).max(1000)

const shape = z.object({
  asset_formats: names.optional(),
  channels: names.optional(),
  store_taxonomies: names.optional(),
})

/** The enumerations in the text of a configuration. Throws when it is malformed. Adds `SMP` to channels without it. */
export function parseGlobalConfig(text: string): Partial<Enumerations> {
  const config = shape.parse(JSON.parse(text))
  return {
    ...(config.asset_formats && { assetFormats: unique(config.asset_formats) }),
    ...(config.channels && { channels: unique(['SMP', ...config.channels]) }),
    ...(config.store_taxonomies && { storeTaxonomies: unique(config.store_taxonomies) }),
  }
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)]
}
