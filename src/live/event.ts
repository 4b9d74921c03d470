import { type Change, codesOf, countsOf, keysOf, typeOf } from '../catalogue/changes/change.ts'

/** A change as JSON: in `GET /v1/changes`, in streams and in deliveries. */
export interface Event {
  type: string
  at: string
  cursor: string
  store_uuid: string
  request_id: string
  actor: string
  via: string
  operation: string
  kind: string
  action: string
  counts: ReturnType<typeof countsOf>
  codes: string[]
  keys: string[]
  reverts?: string
}

export function eventOf(change: Change): Event {
  const { kind, action, reverts } = change
  return {
    type: typeOf(change),
    at: change.at.toISOString(),
    cursor: change.cursor,
    store_uuid: change.storeUuid,
    request_id: change.requestId,
    actor: change.actor,
    via: change.via,
    operation: change.operation,
    kind,
    action,
    counts: countsOf(change),
    codes: codesOf(change),
    keys: keysOf(change),
    ...(reverts !== null && { reverts }),
  }
}
