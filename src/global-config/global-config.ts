import { readFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import { z } from 'zod'
import { defaultChannel, type Enumerations, fallbackEnumerations } from '../catalogue/enumerations.ts'
import { messageOf } from '../errors.ts'
import { isName, textWithin, withoutCredentials } from '../text.ts'

export interface GlobalConfig {
  /** The last good configuration, or the fallback. */
  enumerations(): Enumerations
  stop(): void
  /** Absent without a URL to read. */
  state?(): ConfigurationState
}

export interface ConfigurationState {
  /** Time of the last good read, in ms since 1970. */
  readAt: number | undefined
  failures: number
  isCurrent: boolean
}

interface Settings {
  globalConfig?: string | undefined
  globalConfigRefreshMs: number
}

/** Reads the configuration, and again in the given interval. A read that fails is logged and changes nothing. */
export async function startGlobalConfig(
  { globalConfig: url, globalConfigRefreshMs: refreshMs }: Settings,
  log: Logger,
): Promise<GlobalConfig> {
  let current = fallbackEnumerations
  if (url === undefined) return { enumerations: () => current, stop: () => {} }

  const state: ConfigurationState = { readAt: undefined, failures: 0, isCurrent: false }
  const refresh = async () => {
    try {
      current = enumerationsOf(await readUrl(url))
      Object.assign(state, { readAt: Date.now(), isCurrent: true })
    } catch (error) {
      Object.assign(state, { failures: state.failures + 1, isCurrent: false })
      const reason = messageOf(error)
      log.warn({ reason }, 'global configuration unavailable or malformed: the last good one stays in force')
    }
  }
  await refresh()
  const timer = setInterval(refresh, refreshMs).unref()
  return { enumerations: () => current, stop: () => clearInterval(timer), state: () => state }
}

/** With 64 characters the longest key of a group fits into an index of PostgreSQL. */
const name = z.string().refine((value) => isName(value, 64), 'must have 1 to 64 characters')
const names = z.array(name).min(1).max(1000)
const shape = z.object({ asset_formats: names, channels: names, store_taxonomies: names }).partial()

/** The enumerations with those of a configuration, whose channels always have `SMP`. Throws when it is malformed. */
function enumerationsOf(text: string): Enumerations {
  const config = shape.parse(JSON.parse(text))
  const fallback = fallbackEnumerations
  return {
    ...fallback,
    assetFormats: [...new Set(config.asset_formats ?? fallback.assetFormats)],
    channels: [...new Set([defaultChannel, ...(config.channels ?? fallback.channels)])],
    storeTaxonomies: [...new Set(config.store_taxonomies ?? fallback.storeTaxonomies)],
  }
}

const deadlineMs = 5_000
const maxBytes = 1024 * 1024

/** Reads a `file:` or HTTP(S) URL: at most 1 MiB, within 5 s, no redirects. No error contains the URL's credentials. */
async function readUrl(text: string): Promise<string> {
  const { url, headers } = withoutCredentials(text)
  if (url.protocol === 'file:') return readFile(url, 'utf8')
  const response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(deadlineMs) })
  if (!response.ok || !response.body) throw new Error(`the answer has status ${response.status}`)
  const answer = await textWithin(maxBytes, response.body)
  if (answer === undefined) throw new Error('the answer has more than 1 MiB')
  return answer
}
