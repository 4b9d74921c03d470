import { Pool } from 'undici'
import { z } from 'zod'
import type { Filter, FilteredPage } from '../catalog/filtered-groups.ts'

/** A filter that did not give a usable answer. `mayPass` tells that the same call could succeed a moment later. */
export class FilterFailure extends Error {
  override readonly name = 'FilterFailure'
  readonly mayPass: boolean

  constructor(message: string, mayPass: boolean, options?: ErrorOptions) {
    super(message, options)
    this.mayPass = mayPass
  }
}

export interface FilterEndpoint {
  /** Asks for a page of parent codes once (decisions: Filtering service). Throws a `FilterFailure`, whatever goes wrong. */
  ask(question: Parameters<Filter>, headers: Record<string, string>, signal: AbortSignal): Promise<FilteredPage>
  /** Whether something answers HTTP at the address, other than with an error of its own. */
  isReachable(signal: AbortSignal): Promise<boolean>
  close(): Promise<void>
}

const mostBytes = 1024 * 1024
const mostConnections = 64
const mostGroups = 2_147_483_647

/** The service's side of the contract under the base URL, over connections that are kept. Redirects are not followed. */
export function openFilterEndpoint(baseUrl: string): FilterEndpoint {
  const { origin, pathname, username, password } = new URL(baseUrl)
  const base = pathname.replace(/\/+$/, '')
  const pool = new Pool(origin, { connections: mostConnections, maxResponseSize: mostBytes })
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
  const own = {
    accept: 'application/json',
    'accept-encoding': 'identity',
    ...(username !== '' && { authorization: `Basic ${credentials}` }),
  }
  const send: Send = async (method, path, { headers = {}, body = null, signal }) => {
    const response = await pool.request({
      method,
      path: base + path,
      headers: { ...own, ...headers },
      body,
      signal,
    })
    response.body.on('error', () => {}) // whoever reads it hears of it
    return response
  }
  return {
    ask: async (question, headers, signal) => {
      const body = JSON.stringify(requestOf(...question))
      const sent = send('POST', '/filter', {
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        signal,
      })
      return pageOf(await read(sent), question)
    },
    isReachable: async (signal) => {
      try {
        const { statusCode, body } = await send('GET', '/health', { signal })
        body.destroy()
        return statusCode < 500
      } catch {
        return false
      }
    },
    close: () => pool.destroy(),
  }
}

type Send = (
  method: 'GET' | 'POST',
  path: string,
  options: { headers?: Record<string, string>; body?: string | null; signal: AbortSignal },
) => ReturnType<Pool['request']>

function requestOf(storeUuid: Parameters<Filter>[0], query: Parameters<Filter>[1]) {
  const { channel, assetFormat, offset, limit } = query
  return { store_uuid: storeUuid, channel, asset_format: assetFormat, offset, limit }
}

async function read(sent: ReturnType<Pool['request']>): Promise<string> {
  const { statusCode, headers, body } = await sent.catch((error: unknown) => {
    throw new FilterFailure(`the call failed: ${wordsOf(error)}`, true, { cause: error })
  })
  if (statusCode !== 200) {
    body.destroy()
    throw new FilterFailure(`the answer must be 200; got ${statusCode}`, statusCode >= 502 && statusCode <= 504)
  }
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    body.destroy()
    throw new FilterFailure(`the answer must not be compressed; got ${JSON.stringify(encoding)}`, false)
  }
  try {
    return await body.text()
  } catch (error) {
    throw new FilterFailure(`the answer broke off: ${wordsOf(error)}`, false, { cause: error })
  }
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

const answer = z.object({
  total_groups: z.int().min(0).max(mostGroups),
  parent_codes: z.array(z.string()),
})

/** Takes nothing on trust: the shape, no more codes than asked for, none twice, and a total that has room for them. */
function pageOf(text: string, [, { limit }]: Parameters<Filter>): FilteredPage {
  const parsed = answer.safeParse(json(text))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new FilterFailure(`the answer has the wrong shape: ${issue?.path.join('.')} ${issue?.message}`, false)
  }
  const { total_groups: totalGroups, parent_codes: parentCodes } = parsed.data
  if (parentCodes.length > limit) {
    throw new FilterFailure(`the answer must have at most ${limit} codes; got ${parentCodes.length}`, false)
  }
  if (new Set(parentCodes).size < parentCodes.length) throw new FilterFailure('the answer names a code twice', false)
  if (totalGroups < parentCodes.length) {
    throw new FilterFailure(`the answer has ${parentCodes.length} codes of ${totalGroups} in all`, false)
  }
  return { totalGroups, parentCodes }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new FilterFailure('the answer must be JSON', false)
  }
}
