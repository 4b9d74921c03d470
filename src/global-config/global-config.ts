import type { Logger } from 'pino'
import { z } from 'zod'
import { type Enumerations, fallbackEnumerations } from '../catalogue/enumerations.ts'
import { isName } from '../text.ts'
import { readUrl } from './read-url.ts'

export interface GlobalConfig {
  /** The last good configuration, or the fallback (decisions: Global configuration). */
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

interface Options {
  url: string | undefined
  refreshMs: number
  log: Logger
}

/** Reads the configuration, and again every `refreshMs`. A read that fails is logged and changes nothing. */
export async function startGlobalConfig({ url, refreshMs, log }: Options): Promise<GlobalConfig> {
  let current = fallbackEnumerations
  if (url === undefined) return { enumerations: () => current, stop: () => {} }

  const state: ConfigurationState = { readAt: undefined, failures: 0, isCurrent: false }
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  const refresh = async () => {
    try {
      current = enumerationsOf(await readUrl(url))
      Object.assign(state, { readAt: Date.now(), isCurrent: true })
    } catch (error) {
      Object.assign(state, { failures: state.failures + 1, isCurrent: false })
      const reason = error instanceof Error ? error.message : String(error)
      log.warn({ reason }, 'global configuration unavailable or malformed: the last good one stays in force')
    }
    if (!isStopped) timer = setTimeout(refresh, refreshMs).unref()
  }
  await refresh()
  const stop = () => {
    isStopped = true
    clearTimeout(timer)
  }
  return { enumerations: () => current, stop, state: () => state }
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
    channels: [...new Set(['SMP', ...(config.channels ?? fallback.channels)])],
    storeTaxonomies: [...new Set(config.store_taxonomies ?? fallback.storeTaxonomies)],
  }
}
