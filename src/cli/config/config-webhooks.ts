import { isDeepStrictEqual } from 'node:util'
import type { Catalogue, WriteCatalogue } from '../../catalogue/catalogue.ts'
import type { EventFilter } from '../../live/event-filter.ts'
import { createWebhook, updateWebhook } from '../../webhooks/change-webhooks.ts'
import { deleteWebhook, listWebhooks } from '../../webhooks/webhook.ts'

/** Something that the file has and the store has not, or the reverse, or that differs. */
export interface Difference {
  action: 'add' | 'change' | 'remove'
  kind: 'attribute' | 'requirement' | 'token' | 'webhook'
  name: string
  before?: unknown
  after?: unknown
}

/** A webhook as a file has it: without its secret and headers. */
interface FileWebhook {
  url: string
  filter?: EventFilter | undefined
}

export async function readWebhooks(catalogue: Catalogue, storeUuid: string) {
  const webhooks = await listWebhooks(catalogue, storeUuid)
  return webhooks.map(({ url, filter }) => shown({ url, filter }))
}

/** Makes the webhooks of a store those of the file. Returns what was different, with the secrets of new ones. */
export async function applyWebhooks(
  catalogue: WriteCatalogue,
  storeUuid: string,
  wanted: readonly FileWebhook[],
  allow: readonly string[],
) {
  const left = wanted.map(shown)
  const differences: Difference[] = []
  const take = (isMeant: (one: FileWebhook) => boolean) => left.splice(left.findIndex(isMeant), 1)[0]
  const present = await listWebhooks(catalogue, storeUuid)
  const others = present.filter((one) => {
    const isSame = (other: FileWebhook) => isDeepStrictEqual(other, shown(one))
    return !left.some(isSame) || !take(isSame)
  })
  for (const one of others) {
    const { url, webhookId } = one
    const isOfUrl = (other: FileWebhook) => other.url === url
    const before = shown(one)
    if (left.some(isOfUrl)) {
      const after = take(isOfUrl)
      await updateWebhook(catalogue, webhookId, { filter: after?.filter ?? {} }, allow)
      differences.push({ action: 'change', kind: 'webhook', name: url, before, after })
    } else {
      await deleteWebhook(catalogue, webhookId)
      differences.push({ action: 'remove', kind: 'webhook', name: url, before })
    }
  }
  const made: { id: string; name: string; secret: string }[] = []
  for (const after of left) {
    const { secret, webhook } = await createWebhook(catalogue, storeUuid, after, allow)
    made.push({ id: webhook.webhookId, name: after.url, secret })
    differences.push({ action: 'add', kind: 'webhook', name: after.url, after })
  }
  return { differences, made }
}

function shown({ url, filter = {} }: FileWebhook) {
  const given = Object.entries(filter).filter(([, value]) => value != null)
  return { url, ...(given.length > 0 && { filter: Object.fromEntries(given) }) }
}
