import fc from 'fast-check'
import type { ProductOrder } from '../../../src/catalogue/products/query/order.ts'
import type { AttributeFilter, ProductFilter } from '../../../src/catalogue/products/query/product-filter.ts'

export const statuses = ['active', 'new', 'under review'] as const

const times = fc.constantFrom(
  '2026-01-01T00:00:00.000000Z',
  '2026-01-01T00:00:00.000001Z',
  '2026-01-02T00:00:00.500000Z',
)
/** No product is changed before it is created. */
export const createdAndUpdated = fc.tuple(times, times).map((both) => both.toSorted() as [string, string])

const range = fc.constantFrom(
  { from: new Date('2026-01-01T00:00:00.000Z') },
  { from: new Date('2026-01-01T00:00:00.001Z') },
  { to: new Date('2026-01-02T00:00:00.500Z') },
  { from: new Date('2026-01-01T00:00:00.000Z'), to: new Date('2026-01-01T00:00:00.001Z') },
)

const ranges = ['gt', 'gte', 'lt', 'lte']

/** One or two conditions on an attribute; without bounds it has no ranges. */
export function conditionsOn(name: string, values: readonly string[], bounds: readonly string[]) {
  const value = fc.constantFrom(...values)
  const shape: Record<string, fc.Arbitrary<unknown>> = {
    eq: value,
    ne: value,
    in: fc.array(value, { minLength: 1, maxLength: 3 }),
    contains: fc.constantFrom('', 'r', '%', '_', '0', 'É', '\\'),
    startsWith: fc.constantFrom('', 'a', 'R', '1', '😀'),
    exists: fc.boolean(),
    ...(bounds.length > 0 && Object.fromEntries(ranges.map((key) => [key, fc.constantFrom(...bounds)]))),
  }
  const one = fc.constantFrom(...Object.keys(shape))
  return fc
    .tuple(one, fc.option(one, { nil: undefined }), fc.record(shape))
    .map(([key, other, given]): AttributeFilter => {
      // Two bounds may be upside down, which is refused.
      const second = other && !(ranges.includes(key) && ranges.includes(other)) ? { [other]: given[other] } : {}
      return { name, [key]: given[key], ...second }
    })
}

/** Filters of at most two criteria, and filters of these. */
export function filtersBy(
  codes: readonly string[],
  attributes: fc.Arbitrary<AttributeFilter[]>,
  more: Record<string, fc.Arbitrary<unknown>> = {},
): fc.Arbitrary<ProductFilter> {
  const criteria: Record<string, fc.Arbitrary<unknown>> = {
    status: fc.array(fc.constantFrom(...statuses), { maxLength: 2 }),
    codePrefix: fc.constantFrom('', 'a', '1', '😀'),
    codes: fc.array(fc.constantFrom(...codes, 'x'), { maxLength: 8 }),
    attributes,
    createdAt: range,
    updatedAt: range,
    ...more,
  }
  const keys = fc.constantFrom(...Object.keys(criteria), 'attributes')
  const { filter } = fc.letrec<{ filter: ProductFilter; simple: ProductFilter; nested: ProductFilter }>((tie) => ({
    filter: fc.oneof({ depthSize: 'small', maxDepth: 3 }, { weight: 3, arbitrary: tie('simple') }, tie('nested')),
    simple: fc
      .tuple(fc.uniqueArray(keys, { maxLength: 2 }), fc.record(criteria))
      .map(([chosen, given]) => Object.fromEntries(chosen.map((key) => [key, given[key]]))),
    nested: fc.oneof(
      fc.array(tie('filter'), { minLength: 1, maxLength: 2 }).map((and): ProductFilter => ({ and })),
      fc.array(tie('filter'), { minLength: 1, maxLength: 3 }).map((or): ProductFilter => ({ or })),
      tie('filter').map((not): ProductFilter => ({ not })),
    ),
  }))
  return filter
}

export function ordersBy(attributes: readonly string[]): fc.Arbitrary<ProductOrder> {
  return fc
    .record({
      field: fc.constantFrom('code', 'createdAt', 'updatedAt', 'status', 'attribute', 'attribute', 'attribute'),
      attribute: fc.constantFrom(...attributes),
      direction: fc.constantFrom('asc', 'desc'),
    })
    .map(({ attribute, ...rest }) => (rest.field === 'attribute' ? { ...rest, attribute } : rest))
}
