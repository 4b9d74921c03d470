/** A product as the model has it; times are to the microsecond, as PostgreSQL writes them. */
export interface ModelProduct {
  /** The values of its searchable attributes. */
  searched: readonly string[]
  code: string
  status: string
  attributes: ReadonlyMap<string, string>
  createdAt: string
  updatedAt: string
  /** `channel/format` of the groups of its code. */
  groups: ReadonlySet<string>
}

export interface AttributeFilter {
  name: string
  eq?: string
  ne?: string
  in?: string[]
  contains?: string
  startsWith?: string
  gt?: string
  gte?: string
  lt?: string
  lte?: string
  exists?: boolean
}

export interface Filter {
  status?: string[]
  codePrefix?: string
  codes?: string[]
  search?: string
  attributes?: AttributeFilter[]
  createdAt?: { from?: string; to?: string }
  updatedAt?: { from?: string; to?: string }
  hasAssets?: { channel?: string; assetFormat?: string }
  missingAssets?: { channel?: string; assetFormat?: string }
  and?: Filter[]
  or?: Filter[]
  not?: Filter
}

export interface Order {
  field: 'CODE' | 'CREATED_AT' | 'UPDATED_AT' | 'STATUS' | 'ATTRIBUTE'
  attribute?: string
  direction: 'ASC' | 'DESC'
}

/** The attribute that is declared as a number. */
export const numeric = 'Price'

export function matches(product: ModelProduct, filter: Filter): boolean {
  const { status, codePrefix, codes, search, attributes, createdAt, updatedAt, hasAssets, missingAssets } = filter
  const group = ({ channel = 'SMP', assetFormat = 'image' }) => product.groups.has(`${channel}/${assetFormat}`)
  return [
    status?.includes(product.status) ?? true,
    product.code.startsWith(codePrefix ?? ''),
    codes?.includes(product.code) ?? true,
    [product.code, ...product.searched].some((text) => text.toLowerCase().includes((search ?? '').toLowerCase())),
    (attributes ?? []).every((attribute) => holds(product.attributes.get(attribute.name), attribute)),
    isDuring(product.createdAt, createdAt),
    isDuring(product.updatedAt, updatedAt),
    !hasAssets || group(hasAssets),
    !missingAssets || !group(missingAssets),
    (filter.and ?? []).every((part) => matches(product, part)),
    filter.or?.some((part) => matches(product, part)) ?? true,
    !filter.not || !matches(product, filter.not),
  ].every(Boolean)
}

function holds(value: string | undefined, filter: AttributeFilter): boolean {
  const { name, exists, ...conditions } = filter
  const { ne, ...others } = conditions
  if (value === undefined) return exists === false && Object.values(others).length === 0
  if (exists === false) return false
  const { eq, contains, startsWith } = others
  const isEqual = (other: string) => {
    if (name === numeric) return isNumber(value) && isNumber(other) && Number(value) === Number(other)
    return value === other
  }
  const isOther = (other: string) => (name === numeric ? !isEqual(other) : cut(value) !== cut(other))
  const against = (bound: string | undefined, isRight: (sign: number) => boolean) => {
    if (bound === undefined) return true
    if (name === numeric) return isNumber(value) && isRight(Math.sign(Number(value) - Number(bound)))
    return isRight(byBytes(cut(value), cut(bound)))
  }
  return (
    (eq === undefined || isEqual(eq)) &&
    (ne === undefined || isOther(ne)) &&
    (filter.in === undefined || filter.in.some(isEqual)) &&
    cut(value)
      .toLowerCase()
      .includes((contains ?? '').toLowerCase()) &&
    value.startsWith(startsWith ?? '') &&
    against(filter.gt, (sign) => sign > 0) &&
    against(filter.gte, (sign) => sign >= 0) &&
    against(filter.lt, (sign) => sign < 0) &&
    against(filter.lte, (sign) => sign <= 0)
  )
}

function isDuring(time: string, range: { from?: string; to?: string } = {}): boolean {
  const { from, to } = range
  return (from === undefined || time >= inMicroseconds(from)) && (to === undefined || time < inMicroseconds(to))
}

function inMicroseconds(time: string): string {
  return time.replace('Z', '000Z')
}

/** By the order, then by code; products without a value come last in both directions, by code ascending. */
export function sorted(products: readonly ModelProduct[], { field, attribute = '', direction }: Order): ModelProduct[] {
  const sign = direction === 'DESC' ? -1 : 1
  const orderedBy = (product: ModelProduct): string | undefined => {
    if (field === 'CREATED_AT') return product.createdAt
    if (field === 'UPDATED_AT') return product.updatedAt
    if (field === 'STATUS') return product.status
    if (field === 'CODE') return product.code
    const value = product.attributes.get(attribute)
    return attribute === numeric && value !== undefined && !isNumber(value)
      ? undefined
      : value === undefined
        ? undefined
        : cut(value)
  }
  const compare = attribute === numeric ? (a: string, b: string) => Number(a) - Number(b) : byBytes
  return [...products].sort((a, b) => {
    const [left, right] = [orderedBy(a), orderedBy(b)]
    if (left === undefined || right === undefined) {
      if (left !== right) return left === undefined ? 1 : -1
      return byBytes(a.code, b.code)
    }
    return sign * (compare(left, right) || byBytes(a.code, b.code))
  })
}

export interface Facet {
  name: string
  distinct: number
  missing: number
  values: { value: string; count: number }[]
}

export function facet(products: readonly ModelProduct[], name: string, first: number, search = ''): Facet {
  const values = products.flatMap(({ attributes }) => attributes.get(name) ?? []).map(cut)
  const counts = Array.from(
    Map.groupBy(values, (value) => value),
    ([value, each]) => ({ value, count: each.length }),
  )
  const found = counts.filter(({ value }) => value.toLowerCase().includes(search.toLowerCase()))
  found.sort((a, b) => b.count - a.count || byBytes(a.value, b.value))
  return { name, distinct: counts.length, missing: products.length - values.length, values: found.slice(0, first) }
}

function cut(value: string): string {
  return [...value].slice(0, 255).join('')
}

function isNumber(value: string): boolean {
  return /^-?\d+(\.\d+)?$/.test(value)
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
