import type { components } from './openapi.ts'

type ErrorInfo = components['schemas']['ErrorInfo']

/** An error answer of the gateway: its status, its reason, and an entry for each fault. */
export class CatalogueApiError extends Error {
  override readonly name = 'CatalogueApiError'
  readonly status: number
  readonly reason: string
  readonly errorInfo: readonly ErrorInfo[]
  readonly requestId: string
  readonly retryAfterMs: number | undefined

  constructor(status: number, requestId: string, errorInfo: readonly ErrorInfo[], retryAfterMs?: number) {
    super(errorInfo.map(({ details }) => details).join('; '))
    this.status = status
    this.reason = errorInfo[0]?.reason ?? 'internal_error'
    this.errorInfo = errorInfo
    this.requestId = requestId
    this.retryAfterMs = retryAfterMs
  }
}

export interface ClientOptions {
  /** With the version prefix: `http://127.0.0.1:4000/v1`. */
  baseUrl: string
  /** A bearer token, or where to get one for each request. */
  token: string | (() => string | Promise<string>)
  /** How often a request is sent again when the gateway or the way to it fails; default: 3. */
  retries?: number
  /**
   * How old the answers to reads may be, such as `2s`: they may come from replicas, which have this client's writes.
   */
  staleWhile?: string
  fetch?: typeof fetch
}

/** The furthest position of each client's writes; null while that of the last one is not known. */
const positions = new WeakMap<ClientOptions, string | null>()

export interface CallOptions {
  /** Ends the call, also between two tries. */
  signal?: AbortSignal
  /** The answer and the gateway's log have it. */
  requestId?: string
  /** The name of a write, which is done once however often it is sent; made up when it is left out. */
  idempotencyKey?: string
  /** How much a write may change: with more, nothing is changed, and the error has the reason `too_many_affected`. */
  maxAffected?: number
}

export interface Call extends CallOptions {
  lastEventId?: string | undefined
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  query?: object | undefined
  body?: unknown
  /** Instead of a body. */
  file?: Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
}

/** The pause between two tries is at most 5 s. */
const maxDoublings = 5

/** With these, an answer may be another one later. */
export const passing = [429, 502, 503]

/** Sends a request, again after failures that may pass, and returns `data` of its answer. */
export function send<Data>(options: ClientOptions, call: Call): Promise<Data> {
  return sendAndRead(options, call, async (answer) => ((await answer.json()) as { data: Data }).data)
}

/** The same, and returns the successful answer, whose body is a file or a stream. */
export function sendForFile(options: ClientOptions, call: Call): Promise<Response> {
  return sendAndRead(options, call, async (answer) => answer)
}

async function sendAndRead<T>(options: ClientOptions, call: Call, read: (answer: Response) => Promise<T>): Promise<T> {
  const retries = call.file instanceof ReadableStream ? 0 : (options.retries ?? 3)
  const request = { ...call, idempotencyKey: call.idempotencyKey ?? crypto.randomUUID() }
  for (let tried = 0; ; tried++) {
    try {
      return await attempt(options, request, read)
    } catch (error) {
      const answered = error instanceof CatalogueApiError ? error : undefined
      const isFinal = answered && !passing.includes(answered.status)
      if (tried >= retries || isFinal || call.signal?.aborted) throw error
      await pause(
        answered?.retryAfterMs ?? 100 * 2 ** Math.min(tried, maxDoublings) * (0.5 + Math.random()),
        call.signal,
      )
    }
  }
}

async function attempt<T>(options: ClientOptions, call: Call, read: (answer: Response) => Promise<T>): Promise<T> {
  const { fetch: send = fetch, token } = options
  const headers = new Headers({ authorization: `Bearer ${typeof token === 'string' ? token : await token()}` })
  if (call.requestId !== undefined) headers.set('x-request-id', call.requestId)
  if (call.body !== undefined) headers.set('content-type', 'application/json')
  if (call.lastEventId !== undefined) headers.set('last-event-id', call.lastEventId)
  const position = positions.get(options)
  if (call.method !== 'GET') {
    headers.set('idempotency-key', call.idempotencyKey ?? '')
    if (call.maxAffected !== undefined) headers.set('prefer', `max-affected=${call.maxAffected}`)
  } else if (options.staleWhile !== undefined && position !== null) {
    headers.set('prefer', `stale-while=${options.staleWhile}`)
    if (position !== undefined) headers.set('x-catalogue-after', position)
  }
  const answer = await send(`${options.baseUrl}${call.path}${queryString(call.query)}`, {
    method: call.method,
    headers,
    ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
    // A stream is sent while it is read.
    ...(call.file !== undefined && { body: call.file, duplex: 'half' }),
    ...(call.signal && { signal: call.signal }),
  })
  if (answer.ok) {
    const result = await read(answer)
    if (call.method !== 'GET') keepFurthest(options, answer.headers.get('x-catalogue-position'))
    return result
  }
  const { status, data } = (await answer.json()) as components['schemas']['Error']
  const { error_info: errorInfo } = data
  const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN)
  throw new CatalogueApiError(answer.status, status.request_id, errorInfo, seconds >= 0 ? seconds * 1000 : undefined)
}

function keepFurthest(options: ClientOptions, reached: string | null): void {
  const inOrder = (position: string) => position.replaceAll(/[^/]+/g, (digits) => digits.padStart(8, '0'))
  if (reached === null || inOrder(reached) > inOrder(positions.get(options) ?? '')) positions.set(options, reached)
}

/** Lists are repeated parameters; what is undefined or null is left out. */
function queryString(query: object = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) => [value].flat().map((each) => [name, each] as const))
  const pairs = given
    .filter(([, value]) => value != null)
    .map(([name, value]): [string, string] => [name, String(value)])
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}

/** Ends early when the signal does; the next attempt throws its reason. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    const stop = () => {
      clearTimeout(timer)
      resolve()
    }
    signal?.addEventListener('abort', stop, { once: true })
  })
}
