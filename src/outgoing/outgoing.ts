import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import type { Agent, Dispatcher } from 'undici'
import { orAborted } from '../request/give-up.ts'
import { type Allowed, isPublic, readAllowed } from './addresses.ts'
import { createLookup } from './lookup.ts'
import { targetFault } from './target.ts'

export interface OutgoingOptions {
  /** Addresses, ranges and hosts that may be private and without TLS. */
  allow?: readonly string[] | undefined
  deadlineMs?: number | undefined
  lookup?: LookupFunction | undefined
}

export interface OutgoingRequest {
  url: string
  headers: Record<string, string>
  body: string
  signal?: AbortSignal | undefined
}

export interface OutgoingAnswer {
  status: number
  /** The value of the header `Retry-After`. */
  retryAfter: string | undefined
  /** The first 64 KB. */
  body: string
}

/** Why there was no answer. The message names no address: it is shown to the user who gave the URL. */
export class OutgoingError extends Error {
  override readonly name = 'OutgoingError'
}

const maxAnswerBytes = 64 * 1024
const maxConnectionsPerOrigin = 20
const keepAliveMs = 10_000

/**
 * The client for all requests to URLs that users give: https to public addresses only, but for what the operator
 * allows, with one deadline and without redirects. What operators configure (the filter, the keys of a provider, the
 * global configuration) does not use it.
 */
export function createOutgoing({ allow = [], deadlineMs = 15_000, lookup }: OutgoingOptions = {}) {
  const allowed = readAllowed(allow)
  let agent: Promise<Agent> | undefined
  return {
    /** Sends a POST request. Throws `OutgoingError` if no answer comes within the deadline. */
    post: async ({ url, headers, body, signal }: OutgoingRequest): Promise<OutgoingAnswer> => {
      const fault = targetFault(url, allowed)
      if (fault) throw new OutgoingError(`the URL ${fault.details}`)
      const { origin, pathname, search } = new URL(url)
      const deadline = AbortSignal.timeout(deadlineMs)
      const ended = signal ? AbortSignal.any([deadline, signal]) : deadline
      try {
        const path = pathname + search
        agent ??= openAgent(guardedLookup(allowed, lookup ?? createLookup(allowed)))
        const sent = (await agent).request({ origin, path, method: 'POST', headers, body, signal: ended })
        // The library heeds a signal only when it is connected.
        return await read(await orAborted(sent, ended))
      } catch (error) {
        throw new OutgoingError(deadline.aborted ? `no answer within ${deadlineMs / 1_000} s` : reasonOf(error), {
          cause: error,
        })
      }
    },
    close: async () => {
      await (await agent)?.destroy()
    },
  }
}

/** Loads the library with the first request: most gateways send none. */
async function openAgent(lookup: LookupFunction): Promise<Agent> {
  const { Agent } = await import('undici')
  return new Agent({
    connect: { lookup },
    connections: maxConnectionsPerOrigin,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    pipelining: 1,
  })
}

/**
 * Resolves a name for a connection, and fails if one of its addresses is not allowed: the connection goes to what was
 * checked, whatever the name resolves to later.
 */
function guardedLookup(allowed: Allowed, lookup: LookupFunction): LookupFunction {
  return (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, [])
      const addresses: LookupAddress[] = Array.isArray(found) ? found : [{ address: found, family: isIP(found) }]
      const isGood = ({ address }: LookupAddress) =>
        isPublic(address) || allowed.hasAddress(address) || allowed.hasHost(host)
      const [first] = addresses
      if (!first || !addresses.every(isGood)) {
        return callback(new OutgoingError('the host has an address that is private or reserved'), [])
      }
      if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}

async function read({ statusCode: status, headers, body }: Dispatcher.ResponseData): Promise<OutgoingAnswer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    // Leaving the loop closes the connection.
    if (size >= maxAnswerBytes) break
  }
  const text = Buffer.concat(chunks).subarray(0, maxAnswerBytes).toString()
  const given = headers['retry-after']
  return { status, retryAfter: typeof given === 'string' ? given : undefined, body: text }
}

function reasonOf(error: unknown): string {
  if (error instanceof OutgoingError) return error.message
  if (!(error instanceof Error)) return 'the connection failed'
  // The parser of HTTP has errors without a code.
  return `the connection failed: ${'code' in error && error.code ? error.code : error.name}`
}
