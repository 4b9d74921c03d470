import { type RawBuilder, sql } from 'kysely'
import { type FieldFault, faultsOf, invalidRequest, requireNoFaults } from '../../errors.ts'
import { isName, isStorable, shown } from '../../text.ts'
import { findBadPatterns, nameFault } from '../attributes/attribute-rules.ts'
import { stepsOf } from '../attributes/patterns.ts'
import { type Catalogue, visibleStore, type WriteCatalogue } from '../catalogue.ts'
import { type Item, recordItems } from '../changes/record-changes.ts'
import { type Enumerations, oneOfFault } from '../enumerations.ts'
import { lockStore } from '../locks.ts'
import { requestBuild } from '../projections/queue.ts'

export const requirementKinds = ['ATTRIBUTE', 'ASSET', 'STATUS'] as const
export const severities = ['REQUIRED', 'RECOMMENDED'] as const

/** What a product must have on a channel: an attribute, assets of a format, or a status. */
export interface Requirement {
  code: string
  kind: (typeof requirementKinds)[number]
  attribute: string | null
  assetFormat: string | null
  /** Minimum number of characters of the attribute's value, or of assets. */
  minimum: number | null
  /** The whole value, or the status, must match it. */
  pattern: string | null
  severity: (typeof severities)[number]
  /** The requirement applies only to products whose attribute of this name has one of the values, or any. */
  whenAttribute: string | null
  whenValues: string[] | null
}

type Given<T> = { [Name in keyof T]?: T[Name] | null | undefined }
export type NewRequirement = Pick<Requirement, 'code' | 'kind'> & Given<Omit<Requirement, 'code' | 'kind'>>

/** A mask has a bit for each. */
export const maxRequirements = 62
const maxPatternSteps = 1_000
const maxBytes = 256 * 1024
const maxMinimum: Record<Requirement['kind'], number> = { ATTRIBUTE: 65_535, ASSET: 1_000, STATUS: 0 }

/** The requirements of each channel of a store, or of one, in their order. */
export async function listRequirements(
  catalogue: Catalogue,
  storeUuid: string,
  channel: string | null = null,
): Promise<{ channel: string; requirements: Requirement[] }[]> {
  const { rows } = await sql<{ channel: string; requirements: Requirement[] }>`
    select channel, requirements from channel_requirement
    where store_uuid = ${visibleStore(catalogue, storeUuid)} and channel = coalesce(${channel}, channel)
    order by channel`.execute(catalogue.db)
  return rows
}

/**
 * Replaces the requirements of a channel of a store; an empty list removes them. The products are counted in the
 * background. Throws `store_not_found`, or `invalid_request` with every fault, and then changes nothing.
 */
export async function setRequirements(
  catalogue: WriteCatalogue,
  { channels, assetFormats }: Pick<Enumerations, 'channels' | 'assetFormats'>,
  storeUuid: string,
  channel: string,
  given: readonly NewRequirement[],
): Promise<Requirement[]> {
  const requirements = given.map(normalized)
  const isTooMany = given.length > maxRequirements
  const listFaults = faultsOf([
    ['channel', given.length > 0 && oneOfFault(channel, channels)],
    ['requirements', isTooMany && `must have at most ${maxRequirements} items; got ${given.length}`],
  ])
  if (isTooMany) throw invalidRequest(listFaults)
  const patterns = requirements.flatMap(({ pattern }) => pattern ?? [])
  const badPatterns = await findBadPatterns(catalogue, patterns)
  requireNoFaults([
    ...listFaults,
    ...requirements.flatMap((one, index) => requirementFaults(one, index, requirements, assetFormats, badPatterns)),
    ...faultsOf([['requirements', wholeFault(requirements, patterns, badPatterns)]]),
  ])
  await replaceRequirements(catalogue, storeUuid, channel, requirements)
  return requirements
}

async function replaceRequirements(
  catalogue: WriteCatalogue,
  storeUuid: string,
  channel: string,
  requirements: readonly object[],
): Promise<void> {
  const uuid = await lockStore(catalogue, storeUuid, { definitions: 'all' })
  const list = requirements.length === 0 ? null : JSON.stringify(requirements)
  const { rows: items } = await sql<Item>`
    with changed as materialized (
      select ${channel}::text as channel, ${list}::jsonb as requirements, (
          select requirements from channel_requirement where store_uuid = ${uuid} and channel = ${channel}
        ) as stored
    )
    ${changedRequirements(sql`changed`)}`.execute(catalogue.db)
  const written = list
    ? sql`insert into channel_requirement (store_uuid, channel, requirements) values (${uuid}, ${channel}, ${list}::jsonb)
        on conflict (store_uuid, channel) do update set requirements = excluded.requirements`
    : sql`delete from channel_requirement where store_uuid = ${uuid} and channel = ${channel}`
  await written.execute(catalogue.db)
  await recordItems(catalogue, uuid, items)
  await requestBuild(catalogue, uuid)
}

/** The items of the rows `(channel, requirements, stored)`: the lists to store and the stored ones. */
export const changedRequirements = (rows: RawBuilder<unknown>) => sql`
  select 'requirement' as kind,
    case when stored is null then 'created' when requirements is null then 'deleted' else 'updated' end as action,
    channel as code, null::text as key, stored::text as was
  from ${rows} where stored is distinct from requirements`

/** A requirement with its defaults. */
export function normalized(given: NewRequirement): Requirement {
  const { code, kind } = given
  return {
    code,
    kind,
    attribute: given.attribute ?? null,
    assetFormat: given.assetFormat ?? (kind === 'ASSET' ? 'image' : null),
    minimum: given.minimum ?? (kind === 'ASSET' ? 1 : null),
    pattern: given.pattern ?? (kind === 'STATUS' ? 'active' : null),
    severity: given.severity ?? 'REQUIRED',
    whenAttribute: given.whenAttribute ?? null,
    whenValues: given.whenValues ?? null,
  }
}

function requirementFaults(
  { code, kind, attribute, assetFormat, minimum, pattern, whenAttribute, whenValues }: Requirement,
  index: number,
  all: readonly Requirement[],
  assetFormats: readonly string[],
  badPatterns: ReadonlyMap<string, string>,
): ReturnType<typeof faultsOf> {
  const only = (kinds: Requirement['kind'][], value: unknown) =>
    value !== null && !kinds.includes(kind) && `must be left out for the kind ${kind}; got ${shown(value)}`
  const isTooLow = minimum !== null && (minimum < 1 || minimum > maxMinimum[kind])
  const faults: FieldFault[] = [
    ['code', !isName(code, 64) && `must have 1 to 64 characters, without NUL or lone surrogates; got ${shown(code)}`],
    ['code', all.findIndex((other) => other.code === code) < index && `comes twice: ${shown(code)}`],
    ['attribute', kind === 'ATTRIBUTE' ? attributeFault(attribute) : only([], attribute)],
    ['assetFormat', only(['ASSET'], assetFormat) || (assetFormat !== null && oneOfFault(assetFormat, assetFormats))],
    [
      'minimum',
      only(['ATTRIBUTE', 'ASSET'], minimum) || (isTooLow && `must be from 1 to ${maxMinimum[kind]}; got ${minimum}`),
    ],
    ['pattern', only(['ATTRIBUTE', 'STATUS'], pattern) || requirementPatternFault(pattern, badPatterns)],
    ['whenAttribute', whenAttribute !== null && attributeFault(whenAttribute)],
    ['whenValues', whenValues !== null && whenAttribute === null && 'needs a whenAttribute, which is missing'],
    ['whenValues', whenValues?.length === 0 && 'must name at least one value, or be left out for any'],
    ['whenValues', whenValues?.every(isStorable) === false && 'must be strings without NUL and lone surrogates'],
  ]
  return faultsOf(faults, `requirements[${index}].`, index)
}

function attributeFault(name: string | null): string | undefined {
  if (name === null) return 'is required: the name of an attribute'
  const fault = nameFault(name) ?? (name === 'status' ? 'use the kind STATUS for the status of the product' : undefined)
  return fault && `is not usable: ${fault}; got ${shown(name)}`
}

function requirementPatternFault(
  pattern: string | null,
  badPatterns: ReadonlyMap<string, string>,
): string | false | undefined {
  if (pattern !== null && !isStorable(pattern)) return 'must be without NUL and lone surrogates'
  const fault = badPatterns.get(pattern ?? '')
  return fault && `${fault}; got ${shown(pattern)}`
}

function wholeFault(
  requirements: readonly Requirement[],
  patterns: readonly string[],
  badPatterns: ReadonlyMap<string, string>,
): string | undefined {
  const steps = patterns.reduce((sum, pattern) => sum + stepsOf(pattern), 0)
  if (badPatterns.size === 0 && steps > maxPatternSteps)
    return `must have patterns of at most ${maxPatternSteps} steps together; these have about ${steps}`
  const bytes = Buffer.byteLength(JSON.stringify(requirements))
  return bytes > maxBytes ? `must take at most ${maxBytes} bytes of JSON; these take ${bytes}` : undefined
}
