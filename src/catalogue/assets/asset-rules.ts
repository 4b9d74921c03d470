import { hasAtMost, isAbsoluteUrl, shown } from '../../text.ts'

const longestUrl = 2048

/** What is wrong with a value that came as the URL of an asset, or undefined. */
export function urlFault(value: unknown): string | undefined {
  if (typeof value === 'string' && hasAtMost(value, longestUrl) && isAbsoluteUrl(value)) return undefined
  return `must be an absolute URL with a host, of up to ${longestUrl} characters; got ${shown(value)}`
}
