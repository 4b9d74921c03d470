import { type Change, codesOf, countsOf, keysOf, typeOf } from '../catalogue/changes/change.ts'

export type Event = ReturnType<typeof eventOf>

/** A change as JSON: in `GET /v1/changes`, in streams and in deliveries. */
export function eventOf(change: Change) {
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
