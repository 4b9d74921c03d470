import { Pool } from 'undici'
import { z } from 'zod'
import type { Filter, FilteredPage } from '../catalogue/asset-groups/filtered-groups.ts'

/** A call without a usable answer. A transient failure may be gone a moment later. */
export class FilterFailure extends Error {
  override readonly name = 'FilterFailure'
  readonly isTransient: boolean

  constructor(message: string, { isTransient = false, cause }: { isTransient?: boolean; cause?: unknown } = {}) {
    super(message, { cause })
    this.isTransient = isTransient
  }
}

export interface FilterEndpoint {
  /** Calls the service once for a page of parent codes (decisions: Filtering service). Throws only `FilterFailure`. */
  call(query: Parameters<Filter>, headers: Record<string, string>, signal: AbortSignal): Promise<FilteredPage>
  /** Whether the service answers `GET /health` with a status below 500. */
  isReachable(signal: AbortSignal): Promise<boolean>
  close(): Promise<void>
}

const maxBytes = 1024 * 1024
const maxConnections = 64

/** The filtering service at a base URL, over a pool of connections. Redirects are not followed. */
export function openFilterEndpoint(baseUrl: string): FilterEndpoint {
  const { origin, pathname, username, password } = new URL(baseUrl)
  const base = pathname.replace(/\/+$/, '')
  const pool = new Pool(origin, { connections: maxConnections, maxResponseSize: maxBytes })
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
  const common = {
    accept: 'application/json',
    'accept-encoding': 'identity',
    ...(username !== '' && { authorization: `Basic ${credentials}` }),
  }
  return {
    call: async ([storeUuid, { channel, assetFormat, offset, limit }], headers, signal) => {
      const sent = pool.request({
        method: 'POST',
        path: `${base}/filter`,
        headers: { ...common, ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ store_uuid: storeUuid, channel, asset_format: assetFormat, offset, limit }),
        signal,
      })
      return pageOf(await read(sent), limit)
    },
    isReachable: async (signal) => {
      try {
        const { statusCode, body } = await pool.request({
          method: 'GET',
          path: `${base}/health`,
          headers: common,
          signal,
        })
        body.on('error', () => {}).destroy()
        return statusCode < 500
      } catch {
        return false
      }
    },
    close: () => pool.destroy(),
  }
}

async function read(sent: ReturnType<Pool['request']>): Promise<string> {
  const { statusCode, headers, body } = await sent.catch((error: unknown) => {
    throw new FilterFailure(`the call failed: ${nameOf(error)}`, { isTransient: true, cause: error })
  })
  body.on('error', () => {}) // `text` rejects with it
  const refuse = (message: string, isTransient = false) => {
    body.destroy()
    return new FilterFailure(message, { isTransient })
  }
  if (statusCode !== 200) {
    throw refuse(`the status must be 200; got ${statusCode}`, statusCode >= 502 && statusCode <= 504)
  }
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity') throw refuse(`the answer must not be compressed; got ${JSON.stringify(encoding)}`)
  return body.text().catch((error: unknown) => {
    throw new FilterFailure(`the answer ended early: ${nameOf(error)}`, { cause: error })
  })
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

const answer = z.object({ total_groups: z.int().min(0).max(2_147_483_647), parent_codes: z.array(z.string()) })

/** Validates the answer: its shape, at most as many codes as requested, each once, and a total that is not less. */
function pageOf(text: string, limit: number): FilteredPage {
  const { success, data, error } = answer.safeParse(json(text))
  if (!success) {
    const [issue] = error.issues
    throw new FilterFailure(`the answer has the wrong shape: ${issue?.path.join('.')} ${issue?.message}`)
  }
  const { total_groups: totalGroups, parent_codes: parentCodes } = data
  const { length } = parentCodes
  if (length > limit) throw new FilterFailure(`the answer must have at most ${limit} codes; got ${length}`)
  if (new Set(parentCodes).size < length) throw new FilterFailure('the answer names a code twice')
  if (totalGroups < length) throw new FilterFailure(`the answer has ${length} codes, but total_groups ${totalGroups}`)
  return { totalGroups, parentCodes }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new FilterFailure('the answer must be JSON')
  }
}
