import { expect } from 'vitest'
import type { Caller } from '../support/clients/caller.ts'
import type { Item } from '../support/clients/client.ts'
import { ask } from '../support/clients/operations.ts'
import { addProducts, newStore } from '../support/factories.ts'
import { type Answer, fastTimes, startReceiver, status } from './receiver.ts'

/** Options of a gateway whose receivers are on the loopback. */
export const forReceivers = { more: { outgoingAllow: ['127.0.0.0/8'], deliveryTimes: fastTimes } }

const fields = 'webhookId state failingSince nextAttemptAt cursor lag { events seconds }'

export interface ShownWebhook {
  webhookId: string
  state: string
  failingSince: string | null
  nextAttemptAt: string | null
  cursor: string
  lag: { events: number; seconds: number }
}

export interface ShownDelivery {
  eventId: string
  type: string
  attempt: number
  httpStatus: number | null
  reason: string | null
  response: string | null
}

/** The creation of the store would be delivered, too, while older transactions of the server are open. */
const ofProducts = { filter: { types: ['product.created'] } }

export async function createWebhook(gateway: Caller, storeUuid: string, url: string, input: Item = {}) {
  const args = { storeUuid, input: { url, ...ofProducts, ...input } }
  const made = await ask<{ secret: string; webhook: ShownWebhook }>(gateway, 'createWebhook', args, madeFields)
  return { secret: made.secret, id: made.webhook.webhookId, ...made.webhook }
}

const madeFields = `{ secret webhook { ${fields} } }`

export function webhook(gateway: Caller, id: string): Promise<ShownWebhook> {
  return ask(gateway, 'webhook', { id }, `{ ${fields} }`)
}

/** A webhook whose receiver has refused the change of its store, the product `A`. */
export async function failingWebhook(gateway: Caller, answer: Answer = status(500)) {
  const store = await newStore(gateway)
  const receiver = await startReceiver(answer)
  const { id } = await createWebhook(gateway, store, receiver.url)
  await addProducts(gateway, store, ['A'])
  await expect.poll(() => webhook(gateway, id)).toMatchObject({ state: 'FAILING' })
  return { store, receiver, id }
}

export async function deliveries(gateway: Caller, id: string): Promise<ShownDelivery[]> {
  const selection = '{ deliveries(first: 100) { eventId type attempt httpStatus reason response } }'
  return (await ask<{ deliveries: ShownDelivery[] }>(gateway, 'webhook', { id }, selection)).deliveries
}

/** Runs a mutation of one webhook. */
export function change(gateway: Caller, mutation: string, id: string, args: Item = {}): Promise<ShownWebhook> {
  return ask(gateway, mutation, { id, ...args }, `{ ${fields} }`)
}

/** Makes products, each by a request of its own. */
export async function makeProducts(gateway: Caller, store: string, from: number, count: number): Promise<string[]> {
  const codes = Array.from({ length: count }, (_, i) => `P${String(from + i).padStart(5, '0')}`)
  for (const code of codes) await addProducts(gateway, store, [code])
  return codes
}
