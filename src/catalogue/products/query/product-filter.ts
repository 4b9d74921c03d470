import { type FieldFault, faultsOf, invalidRequest, requireNoFaults } from '../../../errors.ts'
import { hasAtMost, isStorable, shown } from '../../../text.ts'
import { maxValueLength, nameFault } from '../../attributes/attribute-rules.ts'
import { isBare } from '../../conditions.ts'
import { type Enumerations, oneOfFault, type ProductStatus } from '../../enumerations.ts'

type Maybe<T> = T | null | undefined

/** `from` is included, `to` is not. */
export interface TimeRange {
  from?: Maybe<Date>
  to?: Maybe<Date>
}

export interface AssetPresence {
  channel?: Maybe<string>
  assetFormat?: Maybe<string>
}

/** All given conditions must hold. Of products without the attribute only `exists: false` is true. */
export interface AttributeFilter {
  name: string
  eq?: Maybe<string>
  ne?: Maybe<string>
  in?: Maybe<readonly string[]>
  contains?: Maybe<string>
  startsWith?: Maybe<string>
  gt?: Maybe<string>
  gte?: Maybe<string>
  lt?: Maybe<string>
  lte?: Maybe<string>
  exists?: Maybe<boolean>
}

/** All given conditions must hold. `search`: part of the code or of a searchable value, case-insensitive. */
export interface ProductFilter {
  status?: Maybe<readonly ProductStatus[]>
  codePrefix?: Maybe<string>
  codes?: Maybe<readonly string[]>
  search?: Maybe<string>
  attributes?: Maybe<readonly AttributeFilter[]>
  createdAt?: Maybe<TimeRange>
  updatedAt?: Maybe<TimeRange>
  hasAssets?: Maybe<AssetPresence>
  missingAssets?: Maybe<AssetPresence>
  /** Channels on which the products are not ready, or ready. */
  blockedOn?: Maybe<string>
  readyOn?: Maybe<string>
  and?: Maybe<readonly ProductFilter[]>
  or?: Maybe<readonly ProductFilter[]>
  not?: Maybe<ProductFilter>
}

/** A filter within a filter, and where it is: `.and[0]`. */
interface FilterWithin {
  filter: ProductFilter
  field: string
  level: number
}

export interface NamedAttribute {
  filter: AttributeFilter
  field: string
}

const maxConditions = 50
const maxLevels = 5
const maxValues = 1_000
const maxSubstring = 1_000

/** The attributes that a filter names, and where. */
export function attributesOf(filter: ProductFilter): NamedAttribute[] {
  return filtersWithin(filter).flatMap(({ filter: { attributes }, field }) =>
    (attributes ?? []).map((attribute, i) => ({ filter: attribute, field: `${field}.attributes[${i}]` })),
  )
}

/** The filter. Throws `invalid_request` with every fault in its form: too much of it, empty lists or ranges. */
export function requireGoodFilter(given: Maybe<ProductFilter>, enumerations: Enumerations): ProductFilter {
  const filter = given ?? {}
  const filters = filtersWithin(filter)
  const conditions = filters.reduce((sum, { filter: one }) => sum + countConditions(one), 0)
  const possible: FieldFault[] = [
    ['', conditions > maxConditions && `must have at most ${maxConditions} conditions; got ${conditions}`],
    ...filters.flatMap((one) => formFaults(one, enumerations)),
    ...attributesOf(filter).flatMap(attributeFaults),
  ]
  requireNoFaults(faultsOf(possible, 'filter'))
  return filter
}

function formFaults({ filter, field }: FilterWithin, { channels, assetFormats }: Enumerations): FieldFault[] {
  const lists = (['attributes', 'and', 'or'] as const).map((list): FieldFault => {
    return [`${field}.${list}`, filter[list]?.length === 0 && emptyList]
  })
  const ranges = (['createdAt', 'updatedAt'] as const).flatMap((range): FieldFault[] => {
    const { from, to } = filter[range] ?? {}
    const isEmpty = from != null && to != null && from >= to
    return [
      [`${field}.${range}`, isEmpty && `must have from before to; got ${from.toISOString()} and ${to.toISOString()}`],
      [`${field}.${range}`, filter[range] != null && !from && !to && 'must have from, to or both; got neither'],
    ]
  })
  const presences = (['hasAssets', 'missingAssets'] as const).flatMap((presence): FieldFault[] => {
    const { channel, assetFormat } = filter[presence] ?? {}
    return [
      [`${field}.${presence}.channel`, channel != null && oneOfFault(channel, channels)],
      [`${field}.${presence}.assetFormat`, assetFormat != null && oneOfFault(assetFormat, assetFormats)],
    ]
  })
  const readiness = (['blockedOn', 'readyOn'] as const).map((name): FieldFault => {
    const channel = filter[name]
    return [`${field}.${name}`, channel != null && oneOfFault(channel, channels)]
  })
  const texts: FieldFault[] = [
    [`${field}.search`, textFault(filter.search, maxSubstring)],
    [`${field}.codePrefix`, textFault(filter.codePrefix)],
  ]
  return [...lists, ...ranges, ...presences, ...readiness, ...texts]
}

function textFault(text: Maybe<string>, max = maxValueLength): string | false {
  if (text == null) return false
  if (!isStorable(text)) return `must be a string without NUL and lone surrogates; got ${shown(text)}`
  return !hasAtMost(text, max) && `must have at most ${max} characters; got ${shown(text)}`
}

function attributeFaults({ filter, field }: NamedAttribute): FieldFault[] {
  const badName = nameFault(filter.name)
  const values = filter.in?.length
  const { name: _, ...conditions } = filter
  const substrings = (['contains', 'startsWith'] as const).map((key): FieldFault => {
    return [`${field}.${key}`, textFault(filter[key], maxSubstring)]
  })
  const whole = (['eq', 'ne', 'gt', 'gte', 'lt', 'lte'] as const).map((key): FieldFault => {
    return [`${field}.${key}`, textFault(filter[key])]
  })
  return [
    [`${field}.name`, badName && `is not usable: ${badName}; got ${shown(filter.name)}`],
    [field, isBare(conditions) && 'must have a condition, such as eq, in or exists; got only the name'],
    [`${field}.in`, values === 0 && emptyList],
    [`${field}.in`, (values ?? 0) > maxValues && `must have at most ${maxValues} values; got ${values}`],
    ...substrings,
    ...whole,
    ...(filter.in ?? []).map((value, i): FieldFault => [`${field}.in[${i}]`, textFault(value)]),
  ]
}

const emptyList = 'must have at least one item; got an empty list: leave it out instead'

/** The filter and all filters within it. */
export function filtersWithin(filter: ProductFilter): FilterWithin[] {
  const filters: FilterWithin[] = [{ filter, field: '', level: 0 }]
  for (const { filter: outer, field, level } of filters) {
    const within = [
      ...(outer.and ?? []).map((inner, i) => ({ filter: inner, field: `${field}.and[${i}]` })),
      ...(outer.or ?? []).map((inner, i) => ({ filter: inner, field: `${field}.or[${i}]` })),
      ...(outer.not ? [{ filter: outer.not, field: `${field}.not` }] : []),
    ]
    if (within.length > 0 && level === maxLevels) {
      const details = `filter${field} must have no further filters within it: and, or and not may have ${maxLevels} levels; got more`
      throw invalidRequest([{ field: `filter${field}`, details }])
    }
    if (filters.length + within.length > maxConditions + 1) {
      const details = `filter must have at most ${maxConditions} filters within it; got more`
      throw invalidRequest([{ field: 'filter', details }])
    }
    filters.push(...within.map((inner) => ({ ...inner, level: level + 1 })))
  }
  return filters
}

function countConditions({ attributes, and: _, or: __, not: ___, ...own }: ProductFilter): number {
  const count = (fields: object) => Object.values(fields).filter((value) => value != null).length
  return count(own) + (attributes ?? []).reduce((sum, { name: _, ...conditions }) => sum + count(conditions), 0)
}
