import { z } from 'zod'
import { delimiterOf } from '../../src/request/csv/csv-options.ts'
import { hasAtMost, isObject, isStorable, timeOf } from '../../src/text.ts'
import type { ProductStatus } from '../operations.generated.ts'

/** The enumerations that the shapes depend on, as configured at the time of the request. */
export interface Enumerations {
  channels: readonly string[]
  assetFormats: readonly string[]
  storeTaxonomies: readonly string[]
  regions: readonly string[]
  defaultAutomations: readonly string[]
}

const maxInt = 2_147_483_647

export const text = z.string('must be a string').refine(isStorable, 'must be a string without NUL and lone surrogates')

/** The texts of a query parameter that may be repeated, or separate them by commas. */
export const commaList = z.array(text).transform((values) => values.flatMap((value) => value.split(',')))

/** An integer in a query; values above `max` are clamped to `max`. */
export function wholeNumber(min: number, max = maxInt) {
  return z
    .string()
    .refine((value) => /^-?\d+$/.test(value) && Number(value) >= min, `must be a whole number of at least ${min}`)
    .transform((value) => Math.min(Number(value), max))
    .meta({ type: 'integer', minimum: min })
}

/** The parameters of a page by offset. */
export function page(items: string, largest: number) {
  return {
    offset: wholeNumber(0).default(0).describe(`Number of ${items} to skip. Past the end the page is empty.`),
    limit: pageSize(items, largest),
  }
}

export function pageSize(items: string, largest: number) {
  const description = `Page size in ${items}; values above ${largest} are clamped to ${largest}.`
  return wholeNumber(1, largest).default(largest).describe(description)
}

export const flag = z
  .enum(['true', 'false', '1', '0'], 'must be true or false')
  .transform((value) => value === 'true' || value === '1')
  .meta({ type: 'boolean', enum: undefined })

export const time = z
  .string()
  .refine((value) => timeOf(value) !== undefined, 'must be a time as RFC 3339, such as 2026-11-21T10:00:00.000Z')
  .meta({ format: 'date-time' })

export const storeUuid = text.describe('UUID of the store, case-insensitive.')

export function oneOf(values: readonly string[]) {
  return z
    .string('must be a string')
    .refine((value) => values.includes(value), `must be one of ${values.join(', ')}`)
    .meta({ enum: [...values] })
}

/** The body of POST /stores (spec: Store). */
export function newStore(enumerations: Enumerations) {
  return z.object(
    {
      store_name: text
        .refine(
          (name) => name.trim() !== '' && hasAtMost(name.trim(), 200),
          'must have 1 to 200 characters after trimming',
        )
        .meta({
          minLength: 1,
          description: 'Name of the store: 1 to 200 characters after trimming; need not be unique.',
        }),
      store_taxonomy: oneOf(enumerations.storeTaxonomies).describe('Taxonomy of the store.'),
      region: z.array(oneOf(enumerations.regions), 'must be a list').describe('Regions; may be empty.'),
      channels: z.array(oneOf(enumerations.channels), 'must be a list').describe('Channels; may be empty.'),
      default_automation: z
        .array(oneOf(enumerations.defaultAutomations), 'must be a list')
        .describe('Automations that are enabled by default; may be empty.'),
      store_website: text
        .refine((url) => hasAtMost(url, 2048), 'must have at most 2048 characters')
        .meta({ maxLength: 2048 })
        .nullish()
        .describe('Web site of the store, never fetched.'),
    },
    'must be an object',
  )
}

export function listOf<Fields extends z.ZodRawShape>(fields: Fields) {
  return z.array(z.object(fields, 'must be an object'), 'must be a list of objects')
}

const productCode = z.string('must be a string').describe('SKU code: 1 to 255 characters, case-sensitive.')

/** A list of products. Attributes are validated later: an invalid one fails its product only. */
function productList<Fields extends z.ZodRawShape>(fields: Fields) {
  const description =
    'A product: `product_code`, `status` (active, new, problem, inactive, draft or under review), and its attributes under any other names. Attribute values are strings of at most 65,535 characters.'
  const product = z.object({ product_code: productCode, ...fields }, 'must be an object')
  return z.array(product.meta({ additionalProperties: {}, description }), 'must be a list of products')
}

/** The body of PUT and POST /products. */
export const productPatches = productList({})

/** The body of PATCH /products. */
export const productRemovals = productList({
  attributes_to_remove: z
    .array(z.string('must be a string'), 'must be a list of names')
    .nullish()
    .describe(
      'Names of attributes to remove. Those that the product does not have are ignored; one that is also set is a failure.',
    ),
})

/** The body of DELETE /products. */
export const productCodes = z.array(text.describe('SKU code, case-sensitive.'), 'must be a list of product codes')

/** All ids of an item share one fault, so that a long list does not make a long answer. */
export const assetIds = z
  .custom<string | string[]>(
    (ids) => typeof ids === 'string' || (Array.isArray(ids) && ids.every((id) => typeof id === 'string')),
    'must be a string or a list of strings',
  )
  .refine(
    (ids) => (typeof ids === 'string' ? isStorable(ids) : ids.every(isStorable)),
    'must be strings without NUL and lone surrogates',
  )
  .meta({
    anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    description: 'One asset id, or a list of asset ids. An empty list selects none.',
  })
  .transform((ids) => (typeof ids === 'string' ? [ids] : ids))
  .nullish()

/** The URLs of a group to place. They are validated later, because an invalid one is a failure of its entry only. */
export const urlFields = z
  .custom<Record<string, unknown>>(isObject, 'must be an object that maps URL fields to URLs')
  .meta({
    type: 'object',
    additionalProperties: true,
    description:
      'Map from URL field to URL. The number in the field name is the position: `Image URL 2` is position 2.',
  })

export const statuses = ['active', 'new', 'problem', 'inactive', 'draft', 'under review'] as const

export const productStatus = z
  .enum(statuses, `must be one of ${statuses.join(', ')}`)
  .transform((status) => status.replace(' ', '_').toUpperCase() as ProductStatus)

export const dryRun = flag.default(false).describe('Dry run: return the same answer and change nothing.')

/** The query of a write to one store. */
export const storeWrite = z.object({ store_uuid: storeUuid, dry_run: dryRun })

/** Parameters of CSV answers. */
export const csvForm = {
  escape_formulas: flag
    .default(false)
    .describe('CSV: whether to prefix cells that a spreadsheet would run as formulas with an apostrophe.'),
  delimiter: z
    .string()
    .refine((text) => delimiterOf(text) !== undefined, 'must be one of `,` `;` `|` and `tab`')
    .default(',')
    .describe('CSV: separator of cells: `,` `;` `|` or `tab`.'),
  bom: flag.default(false).describe('CSV: whether to begin with a byte-order mark, by which Excel recognizes UTF-8.'),
}

/** The query of POST /stores. */
export const storeLink = z
  .object({
    dry_run: dryRun,
    copy_taxonomy: flag
      .default(false)
      .describe('Whether to copy the attribute definitions of the linked store. Requires `linked_store_id`.'),
    linked_store_id: text
      .transform((value) => (value === 'null' ? undefined : value))
      .optional()
      .describe('UUID of a store whose group the new store joins. Default: a new group. The word `null` means absent.'),
  })
  .refine((query) => !query.copy_taxonomy || query.linked_store_id !== undefined, {
    path: ['linked_store_id'],
    error: 'must name the store to copy from when copy_taxonomy is true',
  })
