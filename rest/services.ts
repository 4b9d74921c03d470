import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { Caller } from '../src/request/caller.ts'
import type { ArrivingFile, HttpResponse, RequestHeaders, RestRequest } from '../src/request/exchange.ts'
import type { HttpError } from '../src/request/http-error.ts'
import type { Staleness } from '../src/request/preferences.ts'
import type { Endpoint, EventsRequest, FileOptions } from './endpoint.ts'
import type { Enumerations } from './request/shapes.ts'

type Document = TypedDocumentNode<unknown, Record<string, unknown>>

/** What the REST API needs from the gateway. */
export interface RestServices {
  enumerations(): Enumerations
  /** Throws when the caller may not run the document, whatever its variables. */
  authorize(document: Document, caller: Caller): void
  /** The answer from the pool, if the answer may be long, the body is, or what is read may be; otherwise undefined. */
  answerInPool(
    request: RestRequest,
    endpoint: Pick<Endpoint, 'document' | 'answers' | 'isLong'>,
    caller: Caller,
    body: Uint8Array<ArrayBuffer> | undefined,
  ): Promise<HttpResponse> | undefined
  /** The data of a query, from the primary or a replica. Throws `HttpError`. */
  read(document: Document, variables: Record<string, unknown>, call: ReadCall): Promise<unknown>
  /** A page of the listing of asset groups, or only its version if `isKnown` is true of that. */
  readListing(
    variables: Record<string, unknown>,
    call: ReadCall,
    isKnown?: (version: string) => boolean,
  ): Promise<AssetPage>
  /**
   * Receives a file; its options are checked first. Throws `HttpError`, and leaves nothing of a file that does not
   * arrive whole.
   */
  receiveFile(options: FileOptions, call: Call, file: ArrivingFile): Promise<ReceivedFile>
  /**
   * Does the work of a write; with a key at most once, in the transaction that stores its data. A repetition returns
   * the stored data.
   */
  write(
    call: WriteCall,
    key: IdempotencyKey | undefined,
    work: (execute: Execute) => Promise<Written>,
  ): Promise<Written>
  /** The answer with a stream of events. Throws what fails before it begins. */
  events(request: EventsRequest, call: EventsCall): Promise<HttpResponse>
  /** Whether writes have receipts. */
  recordsChanges: boolean
  /** The error answer for a thrown value. */
  errorOf(thrown: unknown, requestId: string): HttpError
}

export interface EventsCall {
  caller: Caller
  headers: RequestHeaders
  isHead: boolean
}

interface Call {
  caller: Caller
  requestId: string
}

export interface ReadCall extends Call {
  staleness: Staleness | undefined
}

export interface WriteCall extends Call {
  /** The maximum number of changes of a write: with more it fails with `too_many_affected`. */
  maxAffected?: number | undefined
  /** The file that the write takes. */
  upload?: ReceivedFile | undefined
}

/** A file that was received for a write. */
export interface ReceivedFile {
  storeUuid: string
  jobId: string
  /** The hash of its content. */
  digest: Uint8Array
  /** Deletes it, unless the write has taken it. */
  discard(): Promise<void>
}

/** The data of a mutation. Throws `HttpError`. */
type Execute = (document: Document, variables: Record<string, unknown>) => Promise<unknown>

/** The version is null with a filtering service. */
export interface AssetPage {
  version: string | null
  /** The answer after the head of its envelope. */
  rest?: Buffer
}

/** The key of a write that is done once, with its scope. */
interface IdempotencyKey {
  key: string
  token: string
  method: string
  target: string
  body: Uint8Array
}

export interface Written {
  /** `data` in the envelope, as JSON text. */
  text: string
  /** They are not stored. */
  headers?: Record<string, string>
}
