import type { Caller } from '../src/request/caller.ts'
import type { HttpResponse, RestRequest } from '../src/request/exchange.ts'
import type { HttpError } from '../src/request/http-error.ts'
import type { Endpoint, EventsRequest } from './endpoint.ts'
import type { ReadRequest } from './request/read-request.ts'
import type { Enumerations } from './request/shapes.ts'

/** What the REST API needs from the gateway. */
export interface RestServices {
  enumerations(): Enumerations
  /** Throws when the caller may not run the document, whatever its variables. */
  authorize(document: Endpoint['document'], caller: Caller): void
  /** The answer from the pool, if the answer may be long, the body is, or what is read may be; otherwise undefined. */
  answerInPool(
    request: RestRequest,
    endpoint: Pick<Endpoint, 'document' | 'answers' | 'isLong'>,
    caller: Caller,
    body: Uint8Array<ArrayBuffer> | undefined,
  ): Promise<HttpResponse> | undefined
  /** The data of the query, from the primary or a replica. `variables`: in place of its own. Throws `HttpError`. */
  read(request: CheckedRequest, variables?: Record<string, unknown>): Promise<unknown>
  /** A page of the listing of asset groups, or only its version if `isKnown` is true of that. */
  readListing(request: CheckedRequest, isKnown?: (version: string) => boolean): Promise<AssetPage>
  /**
   * Receives the request's file; the options in its query and its preferences are checked first. Throws `HttpError`,
   * and leaves nothing of a file that does not arrive whole.
   */
  receiveFile(request: CheckedRequest): Promise<ReceivedFile>
  /**
   * Does the work of a write; with a key at most once, in the transaction that stores its data. A repetition returns
   * the stored data. `execute` returns the data of the request's mutation, or throws `HttpError`; with a file that was
   * received, which it takes, the mutation itself does not run.
   */
  write(
    request: CheckedRequest,
    key: CheckedRequest['idempotencyKey'],
    work: (execute: () => Promise<unknown>) => Promise<Written>,
  ): Promise<Written>
  /** The answer with a stream of events. Throws what fails before it begins. */
  events(request: CheckedRequest, wanted: EventsRequest): Promise<HttpResponse>
  /** Whether writes have receipts. */
  recordsChanges: boolean
  /** The error answer for a thrown value. */
  errorOf(thrown: unknown, requestId: string): HttpError
}

/** A request without faults, of a caller who may run the operation of its endpoint. */
export interface CheckedRequest extends ReadRequest {
  endpoint: Endpoint
  request: RestRequest
  caller: Caller
  /** The file that a write takes, in place of its variables. */
  upload?: ReceivedFile
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

/** The version is null with a filtering service. */
export interface AssetPage {
  version: string | null
  /** `data` in the envelope, as JSON text. */
  data?: Buffer
}

export interface Written {
  /** `data` in the envelope, as JSON text. */
  text: string
  /** They are not stored. */
  headers?: Record<string, string>
}
