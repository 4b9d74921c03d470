import { timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Database } from '../database/tables.ts'
import { requestScope } from '../request-scope.ts'
import type { Caller } from './caller.ts'
import { confirmTokens, type GoodToken, lookUpToken } from './token-lookup.ts'

/** Tells what a token made here stands for, from a small cache that forgets what was taken back. */
export interface TokenCache {
  /** The caller of the token with this hash, or undefined when it is unknown, expired or revoked. Throws when that cannot be found out. */
  find(hash: Buffer): Promise<Caller | undefined>
  /** Forgets a token, or all. */
  forget(tokenId: string | undefined): void
  close(): Promise<void>
}

interface Entry extends GoodToken {
  /** When the database was last asked whether the token is good. */
  confirmedAt: number
  usedAt: number
}

export interface TokenTrust {
  /** How long a token is trusted without the database's word: what is taken back is refused after this at the latest, whatever happens. */
  trustedMs: number
  /** How often all cached tokens are asked for again, in one statement. */
  pollMs: number
}

const usualTrust: TokenTrust = { trustedMs: 4_500, pollMs: 2_000 }
const noteEveryMs = 60_000
/** The uses not yet noted are worth this much waiting at the end. */
const closeMs = 500
const idleMs = 600_000
const mostEntries = 10_000

/** `onError` hears when the tokens could not be asked for again. */
export function createTokenCache(
  db: Kysely<Database>,
  onError: (error: unknown) => void,
  { trustedMs, pollMs }: TokenTrust = usualTrust,
): TokenCache {
  const entries = new Map<string, Entry>()
  const asking = new Map<string, Promise<Entry | undefined>>()
  let polling: Promise<void> | undefined

  const poll = async () => {
    const now = Date.now()
    for (const [key, { usedAt }] of entries) if (now - usedAt > idleMs) entries.delete(key)
    if (entries.size === 0) return
    const asked = [...entries]
    const used = asked.map(([, entry]) => entry).filter((entry) => entry.usedAt - entry.notedAt >= noteEveryMs)
    const good = await confirmTokens(
      db,
      asked.map(([, { caller }]) => caller.tokenId),
      used.map(({ caller }) => caller.tokenId),
    )
    for (const entry of used) entry.notedAt = now
    for (const [key, entry] of asked) {
      if (good.get(entry.caller.tokenId) === entry.version) entry.confirmedAt = now
      else if (entries.get(key) === entry) entries.delete(key)
    }
  }
  const pollOnce = () => {
    polling ??= poll()
      .catch(onError)
      .finally(() => {
        polling = undefined
      })
    return polling
  }
  const timer = setInterval(pollOnce, pollMs).unref()

  const ask = async (key: string, hash: Buffer): Promise<Entry | undefined> => {
    const now = Date.now()
    const found = await lookUpToken(db, hash)
    entries.delete(key)
    if (!found || !timingSafeEqual(found.hash, hash)) return undefined
    if (entries.size >= mostEntries) entries.delete(entries.keys().next().value ?? '')
    const entry = { ...found, confirmedAt: now, usedAt: now }
    entries.set(key, entry)
    return entry
  }

  return {
    find: async (hash) => {
      const key = hash.toString('latin1')
      const now = Date.now()
      let entry = entries.get(key)
      if (!entry || now - entry.confirmedAt >= trustedMs) {
        // Others wait for this answer too: it must not end with the request that asked first.
        const asked = () => requestScope.exit(ask, key, hash).finally(() => asking.delete(key))
        const answer = asking.get(key) ?? asked()
        asking.set(key, answer)
        entry = await answer
      }
      if (!entry || entry.expiresAt <= now) return undefined
      entry.usedAt = now
      return entry.caller
    },
    forget: (tokenId) => {
      for (const [key, { caller }] of entries) {
        if (tokenId === undefined || caller.tokenId === tokenId) entries.delete(key)
      }
    },
    close: async () => {
      clearInterval(timer)
      const last = polling ? polling.then(pollOnce) : pollOnce()
      await Promise.race([last, sleep(closeMs, undefined, { ref: false })])
    },
  }
}
