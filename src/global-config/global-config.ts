import type { Logger } from 'pino'
import { type Enumerations, fallbackEnumerations } from '../catalogue/enumerations.ts'
import { parseGlobalConfig } from './parse.ts'
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
  /** Failed reads since the start. */
  failures: number
  /** Whether the latest read succeeded. */
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
  const refresh = async () => {
    try {
      current = { ...fallbackEnumerations, ...parseGlobalConfig(await readUrl(url)) }
      state.readAt = Date.now()
      state.isCurrent = true
    } catch (error) {
      state.failures++
      state.isCurrent = false
      const reason = error instanceof Error ? error.message : String(error)
      log.warn({ reason }, 'global configuration unavailable or malformed: the last good one stays in force')
    }
  }
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  const again = async () => {
    await refresh()
    if (!isStopped) timer = setTimeout(again, refreshMs).unref()
  }
  await again()
  const stop = () => {
    isStopped = true
    clearTimeout(timer)
  }
  return { enumerations: () => current, stop, state: () => state }
}
