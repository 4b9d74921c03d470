import type { Viewer } from '../catalog/viewer.ts'

/** What a token may be good for: reading, writing, administering. `admin` includes the other two. */
export const scopes = ['read', 'write', 'admin'] as const
export type Scope = (typeof scopes)[number]

/** Whoever a token stands for. */
export interface Caller {
  /** The same for all requests with the same token; no secret. */
  readonly tokenId: string
  readonly tokenName: string
  readonly scopes: ReadonlySet<Scope>
  /** Which stores are there for them. */
  readonly viewer: Viewer
}

/** Whether the caller has the scope. Administering is for those alone whom no list of stores limits: who makes tokens could make any. */
export function hasScope({ scopes, viewer }: Caller, scope: Scope): boolean {
  if (scope === 'admin') return scopes.has('admin') && viewer.stores === undefined
  return scopes.has(scope) || scopes.has('admin')
}

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text)
}
