import { type Agent, request } from 'node:http'

export interface Call {
  method?: string
  headers?: Record<string, string>
  /** Sent as it is when it is a string or bytes, as JSON otherwise. */
  body?: unknown
  token?: string | null
  /** A connection of its own without one. */
  agent?: Agent
  signal?: AbortSignal
}

export interface Reply {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  /** The body as JSON, parsed when it is read; `undefined` when it is not JSON. */
  json: unknown
  milliseconds: number
}

/** Sends one HTTP request, its path as it is given; throws as `node:http` does, and does not retry. */
export function send(url: string, { method = 'GET', headers, body, token, agent, signal }: Call = {}): Promise<Reply> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  const bytes = isRaw || body === undefined ? body : JSON.stringify(body)
  const { origin } = new URL(url)
  const options = {
    method,
    path: url.slice(origin.length) || '/',
    agent: agent ?? false,
    ...(signal && { signal }),
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(bytes !== undefined && {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(bytes)),
      }),
      ...headers,
    },
  }
  const begun = performance.now()
  return new Promise((resolve, reject) => {
    const outgoing = request(origin, options, async (response) => {
      try {
        const chunks: Buffer[] = []
        for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
        const text = Buffer.concat(chunks).toString()
        const isJson = /json\b/.test(response.headers['content-type'] ?? '') && text !== ''
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          get json() {
            return isJson ? JSON.parse(text) : undefined
          },
          milliseconds: performance.now() - begun,
        })
      } catch (error) {
        reject(error)
      }
    })
    outgoing.on('error', (error) => reject(Object.assign(error, { isReusedSocket: outgoing.reusedSocket })))
    outgoing.end(bytes)
  })
}

/** Sends again when the server had just closed the kept connection: it had processed nothing yet. */
export async function sendKept(url: string, call: Call): Promise<Reply> {
  return send(url, call).catch((error: Error & { isReusedSocket?: boolean }) => {
    if (error.isReusedSocket && codeOf(error) === 'ECONNRESET') return sendKept(url, call)
    throw error
  })
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
