import { z } from 'zod'

/** The enumerations that shapes depend on: plain lists, as they are in force when the request comes. */
export interface Enumerations {
  channels: readonly string[]
  assetFormats: readonly string[]
  storeTaxonomies: readonly string[]
  regions: readonly string[]
  defaultAutomations: readonly string[]
}

const largestInt = 2_147_483_647

const storable = (text: string) => text.isWellFormed() && !text.includes('\0')

/** A string that can be stored unchanged. */
export const text = z.string('must be a string').refine(storable, 'must be a string without NUL and lone surrogates')

/** A whole number in a query; what is above `max` counts as `max`. */
export function wholeNumber(min: number, max = largestInt) {
  return z
    .string()
    .refine((value) => /^-?\d+$/.test(value) && Number(value) >= min, `must be a whole number of at least ${min}`)
    .transform((value) => Math.min(Number(value), max))
    .meta({ type: 'integer', minimum: min })
}

/** A boolean in a query. */
export const flag = z
  .enum(['true', 'false', '1', '0'], 'must be true or false')
  .transform((value) => value === 'true' || value === '1')
  .meta({ type: 'boolean', enum: undefined })

/** The store that a request is about. */
export const storeUuid = text.describe('The store.')

/** One of the values of an enumeration. */
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
        .refine((name) => hasLength(name.trim(), 1, 200), 'must have 1 to 200 characters after trimming')
        .meta({ minLength: 1, description: '1 to 200 characters after trimming; two stores may share a name.' }),
      store_taxonomy: oneOf(enumerations.storeTaxonomies),
      region: z.array(oneOf(enumerations.regions), 'must be a list'),
      channels: z.array(oneOf(enumerations.channels), 'must be a list'),
      default_automation: z.array(oneOf(enumerations.defaultAutomations), 'must be a list'),
      store_website: text
        .refine((url) => hasLength(url, 0, 2048), 'must have at most 2048 characters')
        .meta({ maxLength: 2048 })
        .nullish(),
    },
    'must be an object',
  )
}

const skuCode = 'The SKU code, 1 to 255 characters; case matters.'
const patchOfProduct =
  'A product: its code, its `status` (active, new, problem, inactive, draft or under review), and any other names as attributes, whose values are strings.'

/** The body of PUT /products. Attributes are judged one by one later: a bad one is its product's failure, not the request's. */
export const productPatches = z.array(
  z
    .object({ product_code: z.string('must be a string').describe(skuCode) }, 'must be an object')
    .meta({ description: patchOfProduct, additionalProperties: {} }),
  'must be a list',
)

/** Ids are many: they have one fault together. */
const assetIds = z
  .custom<string | string[]>(
    (ids) => typeof ids === 'string' || (Array.isArray(ids) && ids.every((id) => typeof id === 'string')),
    'must be a string or a list of strings',
  )
  .refine(
    (ids) => (typeof ids === 'string' ? storable(ids) : ids.every(storable)),
    'must be strings without NUL and lone surrogates',
  )
  .meta({
    anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    description: 'One id or several.',
  })
  .nullish()

/** The body of DELETE /assets. */
export const assetSelectors = z.array(
  z.object(
    { store_uuid: text, channel: text.nullish(), parent_code: text.nullish(), asset_id: assetIds },
    'must be an object',
  ),
  'must be a list',
)

/** The body of POST /assets/unlink. */
export const assetUnlinks = z.array(
  z.object({ store_uuid: text, parent_code: text, channel: text, asset_id: assetIds }, 'must be an object'),
  'must be a list',
)

/** The body of POST /assets: URL fields to URLs, which are judged one by one later. */
export const assetPlacements = z.array(
  z.object(
    {
      parent_code: text,
      asset_type: text.nullish(),
      assets: z.custom<Record<string, unknown>>(isObject, 'must be an object of URL fields to URLs').meta({
        type: 'object',
        additionalProperties: true,
        description: 'URL fields, such as `Image URL 2`, to URLs: the number is the place.',
      }),
    },
    'must be an object',
  ),
  'must be a list',
)

const statuses = ['active', 'new', 'problem', 'inactive', 'draft', 'under review'] as const
const statusNames = {
  active: 'ACTIVE',
  new: 'NEW',
  problem: 'PROBLEM',
  inactive: 'INACTIVE',
  draft: 'DRAFT',
  'under review': 'UNDER_REVIEW',
} as const

/** A product status, as GraphQL names it. */
export const productStatus = z
  .enum(statuses, `must be one of ${statuses.join(', ')}`)
  .transform((status) => statusNames[status])

/** A preview: the same answer, and nothing changed. */
export const dryRun = flag.default(false).describe('Answer as if it were done, and change nothing.')

/** The query of POST /stores. */
export const storeLink = z
  .object({
    dry_run: dryRun,
    copy_taxonomy: flag.default(false).describe("Copy the linked store's attribute definitions."),
    linked_store_id: text
      .transform((value) => (value === 'null' ? undefined : value))
      .optional()
      .describe('A store whose group the new one joins; the word null counts as absent.'),
  })
  .refine((query) => !query.copy_taxonomy || query.linked_store_id !== undefined, {
    path: ['linked_store_id'],
    error: 'must name the store to copy from when copy_taxonomy is true',
  })

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function hasLength(value: string, min: number, max: number): boolean {
  const length = value.length > 2 * max ? value.length : [...value].length
  return length >= min && length <= max
}
