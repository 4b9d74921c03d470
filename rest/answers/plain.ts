import type { HttpResponse } from '../../src/request/exchange.ts'
import { preferenceApplied } from '../../src/request/preferences.ts'
import { storeUuidOf } from '../../src/text.ts'
import { prefix } from '../endpoint.ts'
import { envelope, toJson } from '../response/envelope.ts'
import type { CheckedRequest, RestServices, Written } from '../services.ts'
import { withoutSuccesses } from '../translate.ts'

/** The answer of a read: its data in the envelope. */
export async function answerRead(checked: CheckedRequest, services: RestServices): Promise<HttpResponse> {
  return enveloped(checked, toJson(checked.endpoint.toData(await services.read(checked))))
}

/** The answer of a write, or that of the first write with its idempotency key. */
export async function answerWrite(checked: CheckedRequest, services: RestServices): Promise<HttpResponse> {
  const { text, headers } = await write(checked, services)
  return enveloped(checked, text, headers)
}

/** The data of a write as JSON text, or that of the first write with its idempotency key. */
export async function write(checked: CheckedRequest, services: RestServices): Promise<Written> {
  const { endpoint, request, query, variables, idempotencyKey, preferences } = checked
  const { maxAffected, isMinimal = false } = preferences ?? {}
  // A dry run changes nothing, so its answer is not stored.
  const key = query.dry_run ? undefined : idempotencyKey
  return services.write(checked, key, async (execute) => {
    const data = endpoint.toData(await execute())
    const hasReceipt = services.recordsChanges && !query.dry_run
    const receipt = hasReceipt ? receiptLink(variables, data, request.requestId) : {}
    return {
      text: toJson(isMinimal ? withoutSuccesses(data as object) : data),
      headers: { ...receipt, ...preferenceApplied(maxAffected, isMinimal) },
    }
  })
}

/** JSON text as the data of a success (spec: Response envelope). */
export function enveloped(
  { endpoint, request }: Pick<CheckedRequest, 'endpoint' | 'request'>,
  text: string,
  headers: Record<string, string> = {},
): HttpResponse {
  return { status: 200, headers, body: envelope(0, endpoint.success, request.requestId, text) }
}

type Item = Record<string, unknown>

/** The header that names the receipt of a write, if it is to one store. */
function receiptLink({ storeUuid, selectors, links }: Item, data: unknown, requestId: string): Record<string, string> {
  const items = (selectors ?? links ?? [{ storeUuid: storeUuid ?? (data as Item).store_uuid }]) as Item[]
  // Any other text than a UUID names no store, and may be very long.
  const [store, ...others] = new Set(items.map((item) => storeUuidOf(String(item.storeUuid))))
  if (store === undefined || others.length > 0) return {}
  const target = `${prefix}/requests/${encodeURIComponent(requestId)}?store_uuid=${store}`
  return { Link: `<${target}>; rel="describedby"` }
}
