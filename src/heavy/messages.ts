import type { ClientConfig } from 'pg'
import type { Caller } from '../auth/caller.ts'
import type { Enumerations } from '../catalog/enumerations.ts'
import type { Filter, FilteredPage } from '../catalog/filtered-groups.ts'
import type { Introspection } from '../graphql/guard.ts'
import type { PersistedDocuments } from '../graphql/persisted-documents.ts'
import type { RequestScope } from '../request-scope.ts'
import type { Statement } from '../tracing/trace.ts'

/** What the thread is made with. */
export interface ThreadData {
  connection: ClientConfig
  introspection: Introspection
  persistedDocuments: PersistedDocuments | undefined
  /** Whether listings ask a remote filter, which the other side calls. */
  hasFilter: boolean
  logLevel: string
}

/** A request whose caller has been let in, as plain data. */
export interface HeavyRequest {
  door: 'rest' | 'graphql'
  caller: Caller
  enumerations: Enumerations
  method: string
  path: string
  search: string
  headers: Readonly<Record<string, string>>
  body: Uint8Array<ArrayBuffer> | undefined
}

export interface HeavyAnswer {
  status: number
  headers: Record<string, string>
  body: Uint8Array<ArrayBuffer> | undefined
  /** What was noted of the request, for its line in the log. */
  operation: string | undefined
  isWrite: boolean | undefined
}

/** What of a request's scope goes along. */
export type KnownScope = Pick<RequestScope, 'requestId' | 'traceparent'> & { isTraced: boolean }

/** What the thread is told; `id` is the request's. */
export type ToThread =
  | { type: 'request'; id: number; scope: KnownScope; request: HeavyRequest }
  | { type: 'gone'; id: number }
  | { type: 'filtered'; call: number; page: FilteredPage | undefined }
  | { type: 'close' }

/** What the thread tells. */
export type FromThread =
  | { type: 'answer'; id: number; answer: HeavyAnswer }
  | { type: 'failure'; id: number; message: string }
  | { type: 'filter'; id: number; call: number; question: Parameters<Filter> }
  | { type: 'statement'; id: number; statement: Omit<Statement, 'error'>; failed: boolean }
  | { type: 'job queued' }
  | { type: 'log'; line: string }
