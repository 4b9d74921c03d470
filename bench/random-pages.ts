import { Random } from '../test/support/random.ts'

/** The variables of a page: `$filter` and `$order`. `kind`: what the page is about besides attributes, shown apart. */
export interface RandomPage {
  kind: 'attributes' | 'times of change' | 'assets and readiness' | 'or and not'
  filter: Record<string, unknown>
  order: Record<string, unknown>
}

const seed = 20_261_126

/** Pages of `stores.dashboards` under one to three random conditions in a random order, the same every time. */
export function randomPages(count: number): RandomPage[] {
  const random = new Random(seed)
  return Array.from({ length: count }, (_, i) => {
    const conditions = Array.from({ length: 1 + random.below(3) }, () => condition(random))
    const page: RandomPage = { kind: 'attributes', filter: { and: conditions }, order: order(random) }
    return i % 4 === 3 ? varied(random, page, conditions) : page
  })
}

function varied(random: Random, page: RandomPage, conditions: object[]): RandomPage {
  const direction = oneOf(random, ['ASC', 'DESC'])
  switch (random.below(4)) {
    case 0:
      return { ...page, kind: 'times of change', order: { field: 'UPDATED_AT', direction } }
    case 1: {
      const related = oneOf(random, ['hasAssets', 'missingAssets', 'blockedOn', 'readyOn'])
      const value = related.endsWith('On') ? 'SMP' : { channel: 'SMP' }
      return { ...page, kind: 'assets and readiness', filter: { and: [...conditions, { [related]: value }] } }
    }
    case 2:
      return { ...page, kind: 'or and not', filter: { or: [...conditions, condition(random)] } }
    default:
      return { ...page, kind: 'or and not', filter: { and: conditions, not: condition(random) } }
  }
}

function condition(random: Random): Record<string, unknown> {
  const n = (below: number) => random.below(below)
  const any = <T>(...values: T[]) => oneOf(random, values)
  const attribute = (name: string, conditions: object) => ({ attributes: [{ name, ...conditions }] })
  const numeric = (name: string, most: number) => {
    const low = n(most)
    return attribute(
      name,
      any<object>(
        { eq: `${low}` },
        { gte: `${low}` },
        { lt: `${low}` },
        { gte: `${low}`, lt: `${low + 1 + n(most / 4)}` },
      ),
    )
  }
  const brands = () => `Brand ${n(300)}`
  return any<() => Record<string, unknown>>(
    () => numeric('Price', 200),
    () => numeric('Size', 50),
    () => numeric('Stock', 90),
    () => attribute('Size', { in: [`${n(50)}`, `${n(50)}`, `${n(60)}`] }),
    () =>
      attribute(
        'Barcode',
        any<object>({ startsWith: `4444${n(100)}` }, { eq: `4444${n(1e9)}` }, { gte: `44445${n(9)}` }),
      ),
    () => attribute('Brand', any<object>({ eq: brands() }, { in: [brands(), brands(), brands()] }, { ne: brands() })),
    () =>
      attribute('Brand', any<object>({ startsWith: `Brand ${n(30)}` }, { contains: `${n(100)}` }, { exists: true })),
    () => attribute('Name', any<object>({ contains: `${n(10_000)}` }, { startsWith: `Product ${n(10_000)}` })),
    () => attribute(any('Category', 'Color'), any<object>({ eq: 'red' }, { ne: 'red' }, { exists: true })),
    () => ({ status: any(['DRAFT'], ['NEW', 'DRAFT'], ['PROBLEM'], ['ACTIVE']) }),
    () => ({ createdAt: { from: new Date(Date.now() - n(1_000_000) * 1_000).toISOString() } }),
    () => ({ codePrefix: `SKU-0${n(1_000)}` }),
  )()
}

const orders = [
  'Price',
  'Size',
  'Stock',
  'Barcode',
  'Brand',
  'Category',
  'Color',
  'Name',
  'CODE',
  'CREATED_AT',
  'STATUS',
]

function order(random: Random): Record<string, unknown> {
  const [by, direction] = [oneOf(random, orders), oneOf(random, ['ASC', 'DESC'])]
  return by === by.toUpperCase() ? { field: by, direction } : { field: 'ATTRIBUTE', attribute: by, direction }
}

function oneOf<T>(random: Random, values: readonly T[]): T {
  return values[random.below(values.length)] as T
}
