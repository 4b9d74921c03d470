import { memoized } from '../lazy.ts'

/** The stores that a caller sees. */
export interface Viewer {
  /** UUIDs in lower case; undefined means every store. */
  readonly stores: ReadonlySet<string> | undefined
}

/** The rights of a token. `admin` includes the others. */
export const scopes = ['read', 'write', 'webhook', 'admin'] as const
export type Scope = (typeof scopes)[number]

export interface Caller {
  /** Identifies the token; not secret. */
  readonly tokenId: string
  readonly tokenName: string
  readonly scopes: ReadonlySet<Scope>
  readonly viewer: Viewer
  /** The maximum age of answers to reads without such a header, in ms. */
  readonly staleMs?: number | undefined
}

/** Whether the caller has the scope. A token that is limited to stores is never an administrator's. */
export function hasScope({ scopes, viewer }: Caller, scope: Scope): boolean {
  if (scope === 'admin') return scopes.has('admin') && viewer.stores === undefined
  return scopes.has(scope) || scopes.has('admin')
}

/**
 * The tenant with which a caller shares connections, threads, memory and storage: all callers of the same stores are
 * one. A caller of all stores is a tenant of its own.
 */
export function tenantOf({ tokenId, viewer: { stores } }: Caller): string {
  return stores ? tenantOfStores(stores) : `token ${tokenId}`
}

/** Requests of one caller have the same set, of up to 1,000 stores. */
const tenantOfStores = memoized((stores: ReadonlySet<string>) => `stores ${[...stores].sort().join()}`)

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text)
}
