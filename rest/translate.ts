import type { Fault, PublicError } from '../src/errors.ts'
import { HttpError } from '../src/request/http-error.ts'
import { isName, isObject } from '../src/text.ts'
import type { ItemFailureFragment, ProductFragment, UpdateProductsMutation } from './operations.generated.ts'
import { statuses } from './request/shapes.ts'

type CamelCase<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Name
type CamelCased<T> = { [Name in keyof T as CamelCase<Name>]: T[Name] }

/** An object of a shape with the names of GraphQL for those of REST: `storeUuid` for `store_uuid`. */
export function camelCase<T extends object>(object: T): CamelCased<T> {
  const entries = Object.entries(object).map(([name, value]) => [camelCaseName(name), value])
  return Object.fromEntries(entries) as CamelCased<T>
}

/** The names of shapes, which are few: to make those of 10,000 items took 20 ms, and takes 5. */
const camelCaseNames = new Map<string, string>()

function camelCaseName(name: string): string {
  const known = camelCaseNames.get(name)
  if (known !== undefined) return known
  const made = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  if (camelCaseNames.size < 1_000) camelCaseNames.set(name, made)
  return made
}

/**
 * A product of a body as GraphQL takes it. A status that REST does not have stays among the attributes, where any
 * `status` fails: GraphQL would accept more spellings of it.
 */
export function productPatch({ product_code: productCode, ...fields }: { product_code: string; status?: unknown }) {
  if (!isStatus(fields.status)) return { productCode, attributes: fields }
  const { status, ...attributes } = fields
  return { productCode, status, attributes }
}

/** The same for PATCH, whose products name attributes to remove. */
export function productRemoval({
  attributes_to_remove: removeAttributes,
  ...product
}: Parameters<typeof productPatch>[0] & { attributes_to_remove?: string[] | null | undefined }) {
  return { ...productPatch(product), removeAttributes }
}

function isStatus(value: unknown): value is (typeof statuses)[number] {
  return statuses.some((status) => status === value)
}

/** Names of arguments and fields that are not those of REST in camel case; `[]` is an item of the body. */
const renamed: Record<string, string> = {
  '[].assetFormat': 'asset_type',
  '[].removeAttributes': 'attributes_to_remove',
  'filter.search': 'search',
}

/** The name in REST of an argument, or of one of its fields. */
function restFieldOf(name: string): string {
  return renamed[name] ?? name.replace('[].', '').replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** GraphQL errors as one error of REST: the first one's code decides, the entries are those of all. */
export function toHttpError(errors: readonly PublicError[]): HttpError {
  const reason = errors[0]?.extensions.code ?? 'internal_error'
  const entries = errors.flatMap(({ message, extensions }) => extensions.errorInfo ?? [{ reason, details: message }])
  return new HttpError(reason, entries.map(withRestNames))
}

/** The arguments that are the body of a request: a list of items, or an object. */
const inBody = /^(?:input\.|(?:products|groups|selectors|links)\[(\d+)\]\.)/

/**
 * Names the field of a fault as REST does, also where its details begin: `item 0: asset_id` for `selectors[0].assetId`.
 */
function withRestNames(entry: Fault): Fault {
  const { field: name, details } = entry
  if (name === undefined) return entry
  const [argument = '', index] = inBody.exec(name) ?? []
  const inner = name.slice(argument.length)
  const field = restFieldOf(index === undefined ? inner : `[].${inner}`)
  const subject = index === undefined ? field : `item ${index}: ${field}`
  return { ...entry, field, details: details.startsWith(`${name} `) ? subject + details.slice(name.length) : details }
}

/** A value of an enumeration as in REST: `under review` for `UNDER_REVIEW`. */
export function restNameOf(enumName: string): string {
  return enumName.replaceAll('_', ' ').toLowerCase()
}

/** The fields that have values of enumerations. codegen.ts checks them. */
export const renamedFields: ReadonlySet<string> = new Set(['status', 'via', 'kind', 'action', 'state', 'format'])

/** A result of GraphQL as in REST: values of enumerations have other names. Nulls at any depth are absent, or kept. */
export function restObject(object: object, nulls: 'keep' | 'omit' = 'omit'): Record<string, unknown> {
  const entries = Object.entries(object).filter(([, value]) => nulls === 'keep' || value !== null)
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      renamedFields.has(name) && typeof value === 'string' ? restNameOf(value) : restValue(value, nulls),
    ]),
  )
}

function restValue(value: unknown, nulls: 'keep' | 'omit'): unknown {
  if (Array.isArray(value)) return value.map((item) => restValue(item, nulls))
  return isObject(value) ? restObject(value, nulls) : value
}

/** The spec's error_info of a success: an empty object where there is nothing to report. */
export function withErrorInfo<Result extends { error_info: ItemFailureFragment[]; more: number }>(result: Result) {
  const failures = result.error_info.map((failure) =>
    restObject({
      ...failure,
      details: failure.details.replace(/^[a-z]+[A-Z]\w*/, (name) => restFieldOf(`[].${name}`)),
    }),
  )
  return withMore({ ...result, error_info: failures.length === 0 ? [{}] : failures })
}

/** Without the number of failures that the answer leaves out, if it has all. */
export function withMore<Result extends { more: number }>({ more, ...result }: Result) {
  return more > 0 ? { ...result, more } : result
}

type FailedProducts = Pick<UpdateProductsMutation['updateProducts'], 'failed_products' | 'more'>

/** The spec's map from SKU code to a map from attribute name to a reason. */
export function withFailedProducts<Result extends FailedProducts>(result: Result) {
  const failed = new Map(
    result.failed_products.map(({ product_code, failures }) => [
      product_code,
      // A bad code is the only failure of its product.
      new Map(failures.map(({ attribute, reason }) => [isName(product_code) ? attribute : 'product_code', reason])),
    ]),
  )
  return withMore({ ...result, failed_products: failed })
}

export const successes = ['updated_skus', 'created_skus', 'existing_skus'] as const

/** The data of a write without its lists of codes that succeeded (`Prefer: return=minimal`). */
export function withoutSuccesses(data: object): object {
  return Object.fromEntries(Object.entries(data).filter(([name]) => !(successes as readonly string[]).includes(name)))
}

/** The spec's asset entry: the id, and the URL under a name that carries format and number. */
function assetEntry({ asset_id, urlField, url }: ProductFragment['assetGroups'][number]['assets'][number]) {
  return { asset_id, [urlField]: url }
}

export function productObject(product: ProductFragment) {
  const byChannel = Map.groupBy(product.assetGroups, (group) => group.channel)
  const assets = [...byChannel].map(
    ([channel, groups]) => [channel, groups.flatMap((group) => group.assets.map(assetEntry))] as const,
  )
  return new Map<string, unknown>([
    ['product_code', product.product_code],
    ['status', restNameOf(product.status)],
    ...Object.entries(product.attributes),
    ['assets', new Map(assets)],
  ])
}
