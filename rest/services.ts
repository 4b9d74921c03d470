import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { PublicError } from '../src/errors.ts'
import type { HttpResponse, RestRequest } from '../src/request/exchange.ts'
import type { HttpError } from '../src/request/http-error.ts'
import type { Staleness } from '../src/request/preferences.ts'
import type { AnswerCache } from './conditional.ts'
import type { Endpoint } from './endpoint.ts'
import type { Enumerations } from './request/shapes.ts'

/** What the REST API needs from the gateway. */
export interface RestServices<Caller> {
  enumerations(): Enumerations
  /** Throws when the caller may not run the document, whatever its variables. */
  authorize(document: TypedDocumentNode<unknown, Record<string, unknown>>, caller: Caller): void
  /** Executes a write. */
  execute: Execute<Caller>
  /** Chooses the database of a read: the primary or a replica. */
  reader(staleness: Staleness, caller: Caller): Promise<Reader<Caller>>
  /** Answers a request with `runHere`, or in the pool if its answer may be long, its body is, or what it may read. */
  runHereOrInPool(
    request: RestRequest<Caller>,
    work: { endpoint: Endpoint; isLong: boolean },
    caller: Caller,
    body: Uint8Array<ArrayBuffer> | undefined,
    runHere: () => Promise<HttpResponse>,
  ): Promise<HttpResponse>
  /** Runs `work` at most once, in the transaction that stores its answer. Returns that answer. */
  idempotent(
    write: { key: string; token: string; method: string; target: string; body: Uint8Array },
    caller: Caller,
    work: (execute: Execute<Caller>) => Promise<string>,
  ): Promise<string>
  /** Whether writes have receipts. */
  recordsChanges: boolean
  /** The error answer for a thrown value. */
  errorOf(thrown: unknown, requestId: string): HttpError
}

/** Executes reads on one database. */
export interface Reader<Caller> {
  execute: Execute<Caller>
  /**
   * Lists asset groups: `assetGroups.groups` of the result is JSON text, joined from the stored texts, because GraphQL
   * would parse and complete each asset. `version` is null with a remote filter.
   */
  listAssets(variables: Record<string, unknown>, context: CallContext<Caller>): Promise<Result & Version>
  /** The current version of the listing with these variables. */
  listingVersion(variables: Record<string, unknown>, context: CallContext<Caller>): Promise<string | null>
  /** Cached answers of listings. */
  answers: AnswerCache
}

export type Execute<Caller> = (
  document: TypedDocumentNode<unknown, Record<string, unknown>>,
  variables: Record<string, unknown>,
  context: CallContext<Caller>,
) => Promise<Result>

export interface Result {
  data?: unknown
  errors?: readonly PublicError[] | undefined
}

interface Version {
  version: string | null
}

export interface CallContext<Caller> {
  caller: Caller
  requestId: string
  /** The maximum number of changes of a write: with more it fails with `too_many_affected`. */
  maxAffected?: number | undefined
}
