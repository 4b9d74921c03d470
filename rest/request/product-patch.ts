import { statuses } from './shapes.ts'

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
