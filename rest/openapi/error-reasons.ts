import type { RequestReason } from '../../src/errors.ts'

/** The description of the answer to errors of one reason. */
interface ErrorReason {
  reason: RequestReason
  /**
   * The operations that document the answer: all, writes, those that name a store, those that use the filtering
   * service, or those that list it in `extraReasons` (which replaces another answer of the same status).
   */
  on: 'all' | 'writes' | 'stores' | 'filtered' | 'named'
  meaning: string
}

/** The answers of the document's operations to errors. */
export const errorReasons: readonly ErrorReason[] = [
  {
    reason: 'invalid_request',
    on: 'all',
    meaning: 'A value is missing, malformed or out of range, the body is not JSON, or a parameter is repeated.',
  },
  { reason: 'unauthorized', on: 'all', meaning: 'The token is missing, unknown, expired or revoked.' },
  { reason: 'forbidden', on: 'all', meaning: 'The token lacks the scope.' },
  { reason: 'store_not_found', on: 'stores', meaning: 'The store does not exist, or the token has no access to it.' },
  {
    reason: 'request_not_found',
    on: 'named',
    meaning: 'No change with this request id is recorded; or `store_not_found`.',
  },
  {
    reason: 'product_not_found',
    on: 'named',
    meaning: 'The store has no such product, or had none at that time; or `store_not_found`.',
  },
  {
    reason: 'import_not_found',
    on: 'named',
    meaning: 'There is no import with this id, or the token has no access to its store.',
  },
  {
    reason: 'webhook_not_found',
    on: 'named',
    meaning: 'The webhook does not exist, or the token has no access to its store.',
  },
  {
    reason: 'idempotency_conflict',
    on: 'writes',
    meaning: 'The `Idempotency-Key` was used with another body.',
  },
  { reason: 'changes_disabled', on: 'named', meaning: 'The gateway records no changes (`CHANGES_RETENTION` is 0).' },
  {
    reason: 'not_revertible',
    on: 'named',
    meaning:
      'Later requests changed the same values, or the request is reverted already; or `idempotency_conflict` or `changes_disabled`.',
  },
  {
    reason: 'cursor_expired',
    on: 'named',
    meaning:
      'The changes since the cursor are no longer kept, or the cursor belongs to another database. `details` names the oldest valid cursor. Read everything once, then continue from `after=latest`.',
  },
  {
    reason: 'too_many_affected',
    on: 'writes',
    meaning: 'The write would change more than `Prefer: max-affected` allows. Nothing was changed.',
  },
  {
    reason: 'payload_too_large',
    on: 'writes',
    meaning: [
      'The request exceeds a limit:\n',
      '- body: 10 MiB; of an import 256 MiB, unless configured otherwise',
      '- items: 10,000',
      '- members of a list or object: 20,000',
      '- members of all lists and objects: 600,000',
      '- levels of nesting: 64',
      '- steps of the patterns of its attributes',
    ].join('\n'),
  },
  {
    reason: 'unsupported_media_type',
    on: 'writes',
    meaning: 'The body is not `application/json`, or the `Content-Encoding` of an import is other than gzip.',
  },
  {
    reason: 'rate_limited',
    on: 'all',
    meaning:
      'The token has exceeded its rate limit; or `quota_exceeded`: the answers stored for `Idempotency-Key`s of its stores take 64 MiB, or the reverts of the store have recorded 1 GiB in 24 hours, or it has 20 webhooks.',
  },
  {
    reason: 'internal_error',
    on: 'all',
    meaning: 'An unexpected error of the gateway. It is logged with the request id.',
  },
  {
    reason: 'downstream_unavailable',
    on: 'filtered',
    meaning: 'The filtering service is unreachable, slow, or returns an invalid answer.',
  },
  { reason: 'unavailable', on: 'all', meaning: 'The database is unreachable, or the gateway is shutting down.' },
]

/** The name of the answer in `components.responses`: `StoreNotFound`. */
export function answerNameOf({ reason }: ErrorReason): string {
  return reason.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
}
