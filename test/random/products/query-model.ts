import type { ProductOrder } from '../../../src/catalogue/products/query/order.ts'
import type {
  AssetPresence,
  AttributeFilter,
  ProductFilter,
} from '../../../src/catalogue/products/query/product-filter.ts'

/** A product as the model has it; times are to the microsecond, as PostgreSQL writes them. */
export interface ModelProduct {
  code: string
  status: string
  attributes: ReadonlyMap<string, string>
  createdAt: string
  updatedAt: string
  /** The values of its searchable attributes. */
  searched: readonly string[]
  /** `channel/format` of the groups of its code. */
  groups: ReadonlySet<string>
}

/** How the values of an attribute compare: undefined without a declaration. */
export type TypeOf = (name: string) => 'number' | 'text' | undefined

export function matches(product: ModelProduct, filter: ProductFilter, typeOf: TypeOf): boolean {
  const { status, codePrefix, codes, search, attributes, createdAt, updatedAt, hasAssets, missingAssets } = filter
  const isIn = ({ channel, assetFormat }: AssetPresence) =>
    product.groups.has(`${channel ?? 'SMP'}/${assetFormat ?? 'image'}`)
  return [
    (status as readonly string[] | undefined)?.includes(product.status) ?? true,
    product.code.startsWith(codePrefix ?? ''),
    codes?.includes(product.code) ?? true,
    [product.code, ...product.searched].some((text) => text.toLowerCase().includes((search ?? '').toLowerCase())),
    (attributes ?? []).every((one) => holds(product.attributes.get(one.name), one, typeOf(one.name))),
    isDuring(product.createdAt, createdAt),
    isDuring(product.updatedAt, updatedAt),
    !hasAssets || isIn(hasAssets),
    !missingAssets || !isIn(missingAssets),
    (filter.and ?? []).every((part) => matches(product, part, typeOf)),
    filter.or?.some((part) => matches(product, part, typeOf)) ?? true,
    !filter.not || !matches(product, filter.not, typeOf),
  ].every(Boolean)
}

function holds(value: string | undefined, filter: AttributeFilter, type: ReturnType<TypeOf>): boolean {
  const { exists, eq, ne, in: list, contains, startsWith } = filter
  if (value === undefined) {
    const { name: _, exists: __, ne: ___, ...others } = filter
    return exists === false && Object.values(others).every((one) => one === undefined)
  }
  const isEqual = (other: string) => {
    if (type === 'number') return isNumber(value) && isNumber(other) && Number(value) === Number(other)
    return value === other
  }
  const isOther = (other: string) => (type === 'number' ? !isEqual(other) : cut(value) !== cut(other))
  const sign = (bound: string) => {
    if (type === 'number' && !isNumber(value)) return Number.NaN
    const bySize = type === 'number' || (type === undefined && isNumber(value) && isNumber(bound))
    return bySize ? Math.sign(Number(value) - Number(bound)) : byCodePoints(cut(value), cut(bound))
  }
  const against = (bound: string | null | undefined, isRight: (sign: number) => boolean) =>
    bound == null || isRight(sign(bound))
  return (
    exists !== false &&
    (eq == null || isEqual(eq)) &&
    (ne == null || isOther(ne)) &&
    (list == null || list.some(isEqual)) &&
    cut(value)
      .toLowerCase()
      .includes((contains ?? '').toLowerCase()) &&
    cut(value).startsWith(startsWith ?? '') &&
    against(filter.gt, (sign) => sign > 0) &&
    against(filter.gte, (sign) => sign >= 0) &&
    against(filter.lt, (sign) => sign < 0) &&
    against(filter.lte, (sign) => sign <= 0)
  )
}

function isDuring(time: string, range: ProductFilter['createdAt']): boolean {
  const inMicroseconds = (bound: Date) => bound.toISOString().replace('Z', '000Z')
  const { from, to } = range ?? {}
  return (from == null || time >= inMicroseconds(from)) && (to == null || time < inMicroseconds(to))
}

/** By the order, then by code; products without a value come last in both directions, by code ascending. */
export function sorted(products: readonly ModelProduct[], order: ProductOrder, typeOf: TypeOf): ModelProduct[] {
  const { field, attribute, direction } = order
  const sign = direction === 'desc' ? -1 : 1
  const type = field === 'attribute' ? typeOf(attribute ?? '') : 'text'
  const keyOf = (product: ModelProduct): string | undefined => {
    if (field === 'code') return product.code
    if (field !== 'attribute') return product[field]
    const value = product.attributes.get(attribute ?? '')
    return type === 'number' && !isNumber(value ?? '') ? undefined : value
  }
  const compare = (a: string, b: string): number => {
    if (type !== 'text' && isNumber(a) && isNumber(b)) return Number(a) - Number(b)
    if (type !== 'text' && isNumber(a) !== isNumber(b)) return isNumber(a) ? -1 : 1
    return byCodePoints(cut(a), cut(b))
  }
  return [...products].sort((a, b) => {
    const [left, right] = [keyOf(a), keyOf(b)]
    if ((left === undefined) !== (right === undefined)) return left === undefined ? 1 : -1
    if (left === undefined || right === undefined) return byCodePoints(a.code, b.code)
    return sign * (compare(left, right) || byCodePoints(a.code, b.code))
  })
}

export function facet(products: readonly ModelProduct[], name: string, first: number, search = '') {
  const values = products.flatMap(({ attributes }) => attributes.get(name) ?? []).map(cut)
  const counts = Array.from(
    Map.groupBy(values, (value) => value),
    ([value, each]) => ({ value, count: each.length }),
  )
  const found = counts.filter(({ value }) => value.toLowerCase().includes(search.toLowerCase()))
  found.sort((a, b) => b.count - a.count || byCodePoints(a.value, b.value))
  return { name, distinct: counts.length, missing: products.length - values.length, values: found.slice(0, first) }
}

function isNumber(value: string): boolean {
  return value.length <= 300 && /^-?\d+(\.\d+)?$/.test(value)
}

function cut(value: string): string {
  return [...value].slice(0, 255).join('')
}

function byCodePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
