import { type FieldFault, faultsOf, requireNoFaults } from '../errors.ts'
import { type EventFilter, requireEventFilter } from '../live/event-filter.ts'
import { readAllowed } from '../outgoing/addresses.ts'
import { targetFault } from '../outgoing/target.ts'
import { shown } from '../text.ts'

export interface WebhookHeader {
  name: string
  value: string
}

export interface WebhookInput {
  url?: string | null | undefined
  headers?: readonly WebhookHeader[] | null | undefined
  filter?: EventFilter | null | undefined
}

const maxHeaders = 5
/** They are the deliverer's own, or of the connection. */
const reserved =
  /^(webhook-.*|content-.*|host|user-agent|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect)$/i

/** Throws `invalid_request` with every fault. `allow`: what OUTGOING_ALLOW has. */
export function requireWebhookInput({ url, headers, filter }: WebhookInput, allow: readonly string[]): void {
  const urlFault = url == null ? undefined : targetFault(url, readAllowed(allow))
  const isTooMany = headers != null && headers.length > maxHeaders
  const faults = [
    ...faultsOf([
      ['url', urlFault && `${urlFault.details}; got ${shown(url?.replace(/\/\/[^/]*@/, '//***@'))}`],
      ['headers', isTooMany && `must have at most ${maxHeaders} items; got ${headers.length}`],
    ]),
    ...(headers ?? []).flatMap((header, index) =>
      faultsOf(headerFaults(header, index, headers ?? []), `headers[${index}].`, index),
    ),
  ]
  requireNoFaults(faults, urlFault?.setting)
  requireEventFilter(filter ?? {}, 'filter.')
}

/** Messages do not show the value, which may be a secret. */
function headerFaults({ name, value }: WebhookHeader, index: number, all: readonly WebhookHeader[]): FieldFault[] {
  const isName = /^[\w!#$%&'*+.^`|~-]{1,100}$/.test(name) && !reserved.test(name)
  const isRepeated = all.findIndex((other) => other.name.toLowerCase() === name.toLowerCase()) < index
  return [
    ['name', !isName && `must be the name of a header that the receiver reads; got ${shown(name)}`],
    ['name', isName && isRepeated && `must come once; got ${shown(name)} again`],
    ['value', !/^[!-~]([ -~]{0,1022}[!-~])?$/.test(value) && 'must have 1 to 1,024 characters of visible ASCII'],
  ]
}
