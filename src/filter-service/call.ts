import { Pool } from 'undici'
import { z } from 'zod'
import type { FilterService } from '../catalogue/asset-groups/list-groups.ts'
import { orAborted } from '../request/give-up.ts'
import { withoutCredentials } from '../text.ts'

/** A call without a usable answer. `transient`: a retry may succeed; `refused` (4xx): the call is wrong. */
export class FilterFailure extends Error {
  override readonly name = 'FilterFailure'
  readonly kind: 'transient' | 'refused' | 'unusable'

  constructor(message: string, kind: FilterFailure['kind'] = 'unusable', options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}

export type FilterEndpoint = ReturnType<typeof openFilterEndpoint>

/** The filtering service at a base URL, over a pool of connections. Redirects are not followed. */
export function openFilterEndpoint(baseUrl: string) {
  const { url, headers: authorization } = withoutCredentials(baseUrl)
  const base = url.pathname.replace(/\/+$/, '')
  const pool = new Pool(url.origin, { connections: 64, maxResponseSize: 1024 * 1024 })
  const common = { accept: 'application/json', 'accept-encoding': 'identity', ...authorization }
  return {
    /** Calls the service once for a page of parent codes. Throws only `FilterFailure`. */
    call: async (
      [store_uuid, query]: Parameters<FilterService>,
      headers: Record<string, string>,
      signal: AbortSignal,
    ) => {
      const { channel, assetFormat: asset_format, offset, limit } = query
      const sent = pool.request({
        method: 'POST',
        path: `${base}/filter`,
        headers: { ...common, ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ store_uuid, channel, asset_format, offset, limit }),
        signal,
      })
      // The library heeds a signal only when it is connected.
      return pageOf(await read(orAborted(sent, signal)), limit)
    },
    isReachable: async (signal: AbortSignal): Promise<boolean> => {
      try {
        const request = pool.request({ method: 'GET', path: `${base}/health`, headers: common, signal })
        const sent = await orAborted(request, signal)
        sent.body.on('error', () => {}).destroy()
        return sent.statusCode < 500
      } catch {
        return false
      }
    },
    close: () => pool.destroy(),
  }
}

async function read(sent: ReturnType<Pool['request']>): Promise<Uint8Array> {
  const { statusCode, headers, body } = await sent.catch((error: unknown) => {
    throw new FilterFailure(`the call failed: ${errorName(error)}`, 'transient', { cause: error })
  })
  body.on('error', () => {}) // `bytes` rejects with it
  const encoding = headers['content-encoding'] ?? 'identity'
  if (statusCode !== 200 || encoding !== 'identity') {
    body.destroy()
    const isRefused = statusCode >= 400 && statusCode < 500
    const kind = isRefused ? 'refused' : statusCode >= 502 && statusCode <= 504 ? 'transient' : 'unusable'
    throw new FilterFailure(`the answer must be 200, uncompressed; got ${statusCode}, ${encoding}`, kind)
  }
  return body.bytes().catch((error: unknown) => {
    throw new FilterFailure(`the answer ended early: ${errorName(error)}`, 'unusable', { cause: error })
  })
}

function errorName(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

const answer = z
  .object({ total_groups: z.int().min(0).max(2_147_483_647), parent_codes: z.array(z.string()) })
  .refine(({ parent_codes: codes }) => new Set(codes).size === codes.length, 'a code comes twice')
  .refine(({ total_groups, parent_codes }) => total_groups >= parent_codes.length, 'total_groups is too small')

const utf8 = new TextDecoder('utf-8', { fatal: true })

function pageOf(bytes: Uint8Array, limit: number): Awaited<ReturnType<FilterService>> {
  try {
    const { total_groups: totalGroups, parent_codes: parentCodes } = answer.parse(JSON.parse(utf8.decode(bytes)))
    if (parentCodes.length <= limit) return { totalGroups, parentCodes }
  } catch (cause) {
    const reason = cause instanceof z.ZodError ? z.prettifyError(cause) : 'it must be JSON in UTF-8'
    throw new FilterFailure(`the answer has the wrong shape: ${reason}`, 'unusable', { cause })
  }
  throw new FilterFailure(`the answer must have at most ${limit} codes`)
}
