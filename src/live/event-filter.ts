import { type Change, linkOf, typeOf } from '../catalogue/changes/change.ts'
import { type FieldFault, faultsOf, requireNoFaults } from '../errors.ts'
import { memoized } from '../lazy.ts'
import { isName, shown } from '../text.ts'

/** Which events are wanted; null and absent conditions hold for all. */
export interface EventFilter {
  types?: readonly string[] | null | undefined
  /** Names of mutations, or `import`. */
  operations?: readonly string[] | null | undefined
  /** Names of attributes, or `status`. Products that are created or deleted always match; other kinds do not. */
  attributes?: readonly string[] | null | undefined
  /** Of links, requirements and readiness. Other kinds do not match. */
  channels?: readonly string[] | null | undefined
  codePrefix?: string | null | undefined
}

const actions: Record<Change['kind'], readonly Change['action'][]> = {
  product: ['created', 'updated', 'deleted'],
  asset: ['created', 'deleted'],
  link: ['created', 'updated', 'deleted'],
  definition: ['created', 'updated', 'deleted'],
  requirement: ['created', 'updated', 'deleted'],
  store: ['created', 'updated'],
  readiness: ['changed'],
  import: ['finished'],
}

/** The types of all events. */
const eventTypes: readonly string[] = Object.entries(actions).flatMap(([kind, possible]) =>
  possible.map((action) => `${kind}.${action}`),
)

const maxNames = 100

/** Throws `invalid_request`. */
export function requireEventFilter(filter: EventFilter, prefix = ''): void {
  const faultOf = (names: readonly string[] | null | undefined) => {
    if (names && names.length > maxNames) return `must have at most ${maxNames} items; got ${names.length}`
    const bad = names?.find((name) => !isName(name))
    return bad !== undefined && `must have names of 1 to 255 characters; got ${shown(bad)}`
  }
  const { types, operations, attributes, channels, codePrefix } = filter
  const unknown = types?.find((type) => !eventTypes.includes(type))
  const typeFault = unknown !== undefined && `must be of ${eventTypes.join(', ')}; got ${shown(unknown)}`
  const faults: FieldFault[] = [
    ['types', faultOf(types) || typeFault],
    ['operations', faultOf(operations)],
    ['attributes', faultOf(attributes)],
    ['channels', faultOf(channels)],
    [
      'codePrefix',
      codePrefix != null && !isName(codePrefix) && `must have 1 to 255 characters; got ${shown(codePrefix)}`,
    ],
  ]
  requireNoFaults(faultsOf(faults, prefix))
}

/** The change with the items that match alone; undefined without any. The same object if all match. */
export function matching(change: Change, filter: EventFilter): Change | undefined {
  const { types, operations, codePrefix } = filter
  const { attributes, channels } = setsOf(filter)
  if (types && !types.includes(typeOf(change))) return undefined
  if (operations && !operations.includes(change.operation)) return undefined
  if (!attributes && !channels && codePrefix == null) return change
  const { kind, codes, keys } = change
  const matches = (code: string, key: string | null) =>
    (codePrefix == null || code.startsWith(codePrefix)) &&
    (!attributes || isOfAttribute(change, code, key, attributes)) &&
    (!channels || isOfChannel(kind, code, key, channels))
  const matched = codes.flatMap((code, i) => (matches(code, keys[i] ?? null) ? [i] : []))
  if (matched.length === 0) return undefined
  if (matched.length === codes.length) return change
  const own = { codes: matched.map((i) => codes[i] ?? ''), keys: matched.map((i) => keys[i] ?? null) }
  const count = kind === 'link' ? matched.length : new Set(own.codes).size
  return { ...change, ...own, count }
}

/** There may be a hundred names, and thousands of items. */
const setsOf = memoized(({ attributes, channels }: EventFilter) => ({
  attributes: attributes && new Set(attributes),
  channels: channels && new Set(channels),
}))

function isOfAttribute(
  { kind, action }: Change,
  code: string,
  key: string | null,
  attributes: ReadonlySet<string>,
): boolean {
  if (kind === 'product') return action !== 'updated' || (key !== null && attributes.has(key))
  return kind === 'definition' && attributes.has(code)
}

function isOfChannel(kind: Change['kind'], code: string, key: string | null, channels: ReadonlySet<string>): boolean {
  if (kind === 'link') return channels.has(linkOf(key)[0] ?? '')
  if (kind === 'readiness') return key !== null && channels.has(key)
  return kind === 'requirement' && channels.has(code)
}
