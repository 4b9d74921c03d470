import { hasAtMost, isAbsoluteUrl, shown } from '../../text.ts'
import type { Enumerations } from '../enumerations.ts'

const longestUrl = 2048

/** What is wrong with a value that came as the URL of an asset, or undefined. */
export function urlFault(value: unknown): string | undefined {
  if (typeof value === 'string' && hasAtMost(value, longestUrl) && isAbsoluteUrl(value)) return undefined
  return `must be an absolute URL with a host, of up to ${longestUrl} characters; got ${shown(value)}`
}

/** What is wrong with a channel that assets are to be linked on, or undefined. */
export function channelFault(enumerations: Enumerations, channel: string): string | undefined {
  return oneOfFault(channel, enumerations.channels)
}

/** What is wrong with the format of an asset, or undefined. */
export function formatFault(enumerations: Enumerations, assetFormat: string): string | undefined {
  return oneOfFault(assetFormat, enumerations.assetFormats)
}

function oneOfFault(value: string, allowed: readonly string[]): string | undefined {
  return allowed.includes(value) ? undefined : `must be one of ${allowed.join(', ')}; got ${shown(value)}`
}
