import type { Logger } from 'pino'
import { type Enumerations, fallbackEnumerations } from '../catalog/enumerations.ts'
import { parseGlobalConfig } from './parse.ts'
import { readUrl } from './read-url.ts'

/** The global configuration as it stands: the last good one, else the fallback (decisions: Global configuration). */
export interface GlobalConfig {
  enumerations(): Enumerations
  stop(): void
  /** How reading it goes; absent where there is nothing to read. */
  state?(): ConfigurationState
}

export interface ConfigurationState {
  /** When it was last read and understood, in ms since 1970. */
  readAt: number | undefined
  /** Readings that failed since the start. */
  failures: number
  /** Whether the latest reading was a success. */
  isCurrent: boolean
}

interface Options {
  url: string | undefined
  refreshMs: number
  log: Logger
}

/** Reads the configuration once, then again every `refreshMs`. What cannot be read or is malformed changes nothing and is logged. */
export async function startGlobalConfig({ url, refreshMs, log }: Options): Promise<GlobalConfig> {
  let current = fallbackEnumerations
  if (url === undefined) return { enumerations: () => current, stop: () => {} }

  const state: ConfigurationState = { readAt: undefined, failures: 0, isCurrent: false }
  const refresh = async () => {
    try {
      current = { ...fallbackEnumerations, ...parseGlobalConfig(await readUrl(url)) }
      Object.assign(state, { readAt: Date.now(), isCurrent: true })
    } catch (error) {
      Object.assign(state, { failures: state.failures + 1, isCurrent: false })
      log.warn(
        { reason: messageOf(error) },
        'global configuration unavailable or malformed: the last good one stays in force',
      )
    }
  }
  await refresh()
  let stopped = false
  let timer = setTimeout(again, refreshMs).unref()
  async function again() {
    await refresh()
    if (!stopped) timer = setTimeout(again, refreshMs).unref()
  }
  const stop = () => {
    stopped = true
    clearTimeout(timer)
  }
  return { enumerations: () => current, stop, state: () => state }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
