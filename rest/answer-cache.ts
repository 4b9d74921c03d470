import { LRUCache } from 'lru-cache'

/** An answer's `data` as it was rendered, with the end of its envelope, and the version that it was made of. */
export interface RenderedData {
  version: string
  bytes: Buffer
}

/** Rendered answers by what they were asked for; beyond `mostBytes` those go that were not used for longest. */
export interface AnswerCache {
  get(key: string): RenderedData | undefined
  set(key: string, data: RenderedData): unknown
}

const ofOneEntry = 200

/** Makes a cache that holds at most so many bytes; with 0 it holds nothing. */
export function createAnswerCache(mostBytes: number): AnswerCache {
  if (mostBytes === 0) return { get: () => undefined, set: () => {} }
  return new LRUCache<string, RenderedData>({
    maxSize: mostBytes,
    sizeCalculation: ({ bytes }, key) => bytes.length + key.length * 2 + ofOneEntry,
  })
}
