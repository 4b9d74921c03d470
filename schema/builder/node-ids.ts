import { invalidRequest } from '../../src/errors.ts'
import { isStorable, parsedJson, shown, storeUuidOf } from '../../src/text.ts'

/** The types that `node` can load. */
const nodeTypes = ['Store', 'Product', 'Asset', 'AssetGroup', 'AttributeDefinition', 'Job', 'Token', 'Change']

export function encodeNodeId(typename: string, key: string | number | bigint): string {
  return Buffer.from(`${typename}:${key}`).toString('base64url')
}

/** No key begins with it. */
const malformed = '!'

/** Of a malformed id: a key of no node. */
export function decodeNodeId(nodeId: string): { typename: string; id: string } {
  const text = Buffer.from(nodeId, 'base64url').toString()
  const [typename = ''] = text.split(':', 1)
  const id = text.slice(typename.length + 1)
  const isWhole = nodeTypes.includes(typename) && id !== '' && encodeNodeId(typename, id) === nodeId
  return isWhole ? { typename, id } : { typename: 'Product', id: malformed + nodeId }
}

/** Throws `invalid_request` for a malformed id. */
export function requireNodeId<Id extends { id: string }>(decoded: Id): Id {
  if (!decoded.id.startsWith(malformed)) return decoded
  const details = `id must be the id of a node; got ${shown(decoded.id.slice(malformed.length))}`
  throw invalidRequest([{ field: 'id', details }])
}

/** The key of an object that has one or several names within a store. */
export function keyInStore(storeUuid: string, ...names: string[]): string {
  return JSON.stringify([storeUuid, ...names])
}

/** Loads objects by keys of `keyInStore`; null for a malformed key. */
export function loadByKeys<Found, Names extends string[]>(
  keys: readonly string[],
  load: (storeUuid: string, ...names: Names) => Promise<Found | null | undefined>,
): Promise<(Found | null)[]> {
  return Promise.all(
    keys.map(async (key) => {
      const parts = partsOf(key)
      return parts?.length === load.length ? ((await load(...(parts as [string, ...Names]))) ?? null) : null
    }),
  )
}

function partsOf(key: string): string[] | undefined {
  const parts = parsedJson(key)
  const isKey = Array.isArray(parts) && parts.every((part) => typeof part === 'string' && isStorable(part))
  return isKey && storeUuidOf(parts[0] ?? '') === parts[0] ? parts : undefined
}
