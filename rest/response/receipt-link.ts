import { storeUuidOf } from '../../src/text.ts'
import { prefix } from '../path.ts'

type Item = Record<string, unknown>

/** The header that names the receipt of a write, if it is to one store. A dry run has none. */
export function receiptLink(
  { storeUuid, dryRun, selectors, links }: Item,
  data: unknown,
  requestId: string,
): Record<string, string> {
  const items = (selectors ?? links ?? [{ storeUuid: storeUuid ?? (data as Item).store_uuid }]) as Item[]
  // Any other text than a UUID names no store, and may be very long.
  const [store, ...others] = new Set(items.map((item) => storeUuidOf(String(item.storeUuid))))
  if (dryRun || store === undefined || others.length > 0) return {}
  const target = `${prefix}/requests/${encodeURIComponent(requestId)}?store_uuid=${store}`
  return { Link: `<${target}>; rel="describedby"` }
}
