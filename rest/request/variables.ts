import { statuses } from './shapes.ts'

type CamelCase<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Name
type CamelCased<T> = { [Name in keyof T as CamelCase<Name>]: T[Name] }

/** An object of a shape with the names of GraphQL for those of REST: `storeUuid` for `store_uuid`. */
export function camelCase<T extends object>(object: T): CamelCased<T> {
  const renamed: Record<string, unknown> = {}
  for (const name of Object.keys(object)) renamed[camelCaseName(name)] = object[name as keyof T]
  return renamed as CamelCased<T>
}

/** Cached names, because a body repeats each name up to 10,000 times. */
const camelCaseNames = new Map<string, string>()

function camelCaseName(name: string): string {
  const kept = camelCaseNames.get(name)
  if (kept !== undefined) return kept
  const [first = '', ...others] = name.split('_')
  const made = first + others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  camelCaseNames.set(name, made)
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
