import type { Catalogue, WriteCatalogue } from '../../catalogue/catalogue.ts'
import type { EventFilter } from '../../live/event-filter.ts'
import { withoutNulls } from '../../text.ts'
import { createWebhook, updateWebhook } from '../../webhooks/change-webhooks.ts'
import { deleteWebhook, listWebhooks } from '../../webhooks/webhook.ts'
import type { ConfigFile } from './config-file.ts'
import { type Difference, unmatched } from './difference.ts'

/** A webhook as a file has it: without its secret and headers. */
type FileWebhook = NonNullable<ConfigFile['webhooks']>[number]

export async function readWebhooks(catalogue: Catalogue, storeUuid: string) {
  return (await listWebhooks(catalogue, storeUuid)).map(inFile)
}

/** Makes the webhooks of a store those of the file. Returns what was different, with the secrets of new ones. */
export async function applyWebhooks(
  catalogue: WriteCatalogue,
  storeUuid: string,
  wanted: readonly FileWebhook[],
  allow: readonly string[],
) {
  const present = await listWebhooks(catalogue, storeUuid)
  const { removed, added } = unmatched(present, wanted.map(inFile), inFile)
  const differences: Difference[] = []
  for (const one of removed) {
    const { url, webhookId } = one
    const before = inFile(one)
    const place = added.findIndex((other) => other.url === url)
    if (place >= 0) {
      const [after] = added.splice(place, 1)
      await updateWebhook(catalogue, webhookId, { filter: after?.filter ?? {} }, allow)
      differences.push({ action: 'change', kind: 'webhook', name: url, before, after })
    } else {
      await deleteWebhook(catalogue, webhookId)
      differences.push({ action: 'remove', kind: 'webhook', name: url, before })
    }
  }
  const made: { id: string; name: string; secret: string }[] = []
  for (const after of added) {
    const { secret, webhook } = await createWebhook(catalogue, storeUuid, after, allow)
    made.push({ id: webhook.webhookId, name: after.url, secret })
    differences.push({ action: 'add', kind: 'webhook', name: after.url, after })
  }
  return { differences, made }
}

function inFile({ url, filter = {} }: { url: string; filter?: EventFilter | undefined }): FileWebhook {
  const given = withoutNulls(filter)
  return Object.keys(given).length > 0 ? { url, filter: given } : { url }
}
