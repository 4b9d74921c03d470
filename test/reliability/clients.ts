import { type Agent, request } from 'node:http'

export interface Answered {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  milliseconds: number
}

export interface Sent {
  method?: string
  body?: unknown
  token?: string
  headers?: Record<string, string>
  agent?: Agent
  signal?: AbortSignal
}

/** One request; throws as `node:http` does, and tries nothing again. */
export function send(
  url: string,
  { method = 'GET', body, token, headers, agent, signal }: Sent = {},
): Promise<Answered> {
  const bytes = body === undefined ? undefined : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const begun = performance.now()
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      {
        method,
        agent: agent ?? false,
        ...(signal && { signal }),
        headers: {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(bytes && { 'content-type': 'application/json', 'content-length': bytes.length }),
          ...headers,
        },
      },
      async (response) => {
        try {
          const chunks: Buffer[] = []
          for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
            milliseconds: performance.now() - begun,
          })
        } catch (error) {
          reject(error)
        }
      },
    )
    outgoing.on('error', reject)
    outgoing.end(bytes)
  })
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}

/** The value below which the share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0
}
