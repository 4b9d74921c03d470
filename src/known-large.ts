import { LRUCache } from 'lru-cache'

/** What was asked: path, query and, of GraphQL, the body. */
interface Asked {
  method: string
  search: string
  path?: string
  body?: Uint8Array | (() => unknown) | undefined
}

/** The requests that turned out to be too much for the thread that serves all, a moment ago. */
export interface KnownLarge {
  has(request: Asked): boolean
  add(request: Asked): void
}

const most = 500
const longest = 4_096
const forgottenAfterMs = 60_000

/** Remembers which requests were given up for being large: the next such request need not be begun, and given up, once more. */
export function createKnownLarge(): KnownLarge {
  const known = new LRUCache<string, true>({ max: most, ttl: forgottenAfterMs })
  const keyOf = ({ method, path = '', search, body }: Asked) => {
    const bytes = body instanceof Uint8Array ? body : new Uint8Array()
    if (search.length + bytes.length > longest) return ''
    return `${method} ${path}?${search} ${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')}`
  }
  return {
    has: (request) => known.size > 0 && known.has(keyOf(request)),
    add: (request) => {
      const key = keyOf(request)
      if (key !== '') known.set(key, true)
    },
  }
}
