import { isIP } from 'node:net'
import { isAbsoluteUrl } from '../text.ts'
import { type Allowed, isPublic } from './addresses.ts'

const maxLength = 2_048

/** Why requests to a URL are refused, and the setting that permits them, if one does. */
export interface TargetFault {
  details: string
  setting?: 'OUTGOING_ALLOW'
}

/** Whether a name is one of loopback addresses by definition (RFC 6761, 6.3). */
export function isLoopbackName(host: string): boolean {
  return /(^|\.)localhost\.?$/i.test(host)
}

/**
 * Why requests to a URL that a user gives are refused; undefined if they are not. Only addresses and loopback names can
 * be judged here: the address of another name is checked whenever a connection is opened.
 */
export function targetFault(text: string, allowed: Allowed): TargetFault | undefined {
  // The parser leaves out control characters, which answers and lists would show.
  const url = isAbsoluteUrl(text) && !/\p{Cc}/u.test(text) ? URL.parse(text) : null
  if (!url || !/^https?:$/.test(url.protocol)) {
    return { details: 'must be a URL with https:// and a host' }
  }
  if (text.length > maxLength) return { details: `must have at most ${maxLength} characters` }
  if (url.username !== '' || url.password !== '') return { details: 'must have no user and password' }
  const host = hostOf(url)
  if (allowed.hasHost(host) || allowed.hasAddress(host)) return undefined
  if (url.protocol !== 'https:') return unlessAllowed('must begin with https://')
  if (isPrivate(host, allowed)) return unlessAllowed('must not have an address that is private or reserved')
  const isGoodPort = url.port === '' || Number(url.port) > 1_023
  return isGoodPort ? undefined : unlessAllowed('must have the port 443, or one above 1023')
}

function unlessAllowed(details: string): TargetFault {
  return { details: `${details}, unless OUTGOING_ALLOW has its host`, setting: 'OUTGOING_ALLOW' }
}

function isPrivate(host: string, { hasAddress }: Allowed): boolean {
  if (isLoopbackName(host)) return !hasAddress('127.0.0.1') && !hasAddress('::1')
  return isIP(host) > 0 && !isPublic(host)
}

/** The host of a URL, an IPv6 address without its brackets. The parser has made decimal and other forms dotted. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}
