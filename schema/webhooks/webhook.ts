import type { EventFilter } from '../../src/live/event-filter.ts'
import { type Delivery, type Lag, listDeliveries, readLag } from '../../src/webhooks/deliveries.ts'
import { findWebhook, listWebhooks, type Webhook, type WebhookState } from '../../src/webhooks/webhook.ts'
import { builder } from '../builder/builder.ts'
import { firstArg, firstCost, requireFirst } from '../builder/lists.ts'
import { nullable, nullableTime, required } from '../builder/options.ts'
import { enumOf } from '../enumerations.ts'
import { StoreRef } from '../stores/store.ts'

const ofWebhooks = { access: 'webhook' } as const
const maxDeliveries = 100
const usualDeliveries = 5
/** About how many a store has. */
const usualWebhooks = 2
/** Of a statement that reads a few rows by their key. */
const lookupCost = 10

const WebhookStateRef = enumOf<WebhookState>('WebhookState', 'State of a webhook.', {
  active: 'Changes are delivered.',
  failing: 'The last attempt failed; it is repeated.',
  paused: 'Attempts have failed for five days. Changes are delivered again once it is enabled.',
  disabled: 'Switched off, by its user or because the receiver answered 410.',
  lost: 'The ledger no longer has the next change: the webhook goes on from now with the event `webhook.gap`.',
})

const WebhookFilterRef = builder.objectRef<EventFilter>('WebhookFilter').implement({
  description: 'The filter of a webhook; null: no condition.',
  fields: (t) => ({
    types: t.exposeStringList('types', nullable('Types of events.')),
    operations: t.exposeStringList('operations', nullable('Names of mutations.')),
    attributes: t.exposeStringList('attributes', nullable('Attributes of products.')),
    channels: t.exposeStringList('channels', nullable('Channels of links and requirements.')),
    codePrefix: t.exposeString('codePrefix', nullable('First characters of codes.')),
  }),
})

const WebhookLagRef = builder.objectRef<Lag>('WebhookLag').implement({
  description: 'Changes that are not delivered yet.',
  fields: (t) => ({
    events: t.exposeInt('events', {
      description: 'Number of changes after `cursor`, whether they match the filter or not: counted up to 1,000.',
    }),
    seconds: t.exposeFloat('seconds', { description: 'Age of the oldest of these changes.' }),
  }),
})

const WebhookDeliveryRef = builder.objectRef<Delivery>('WebhookDelivery').implement({
  description: 'An attempt to deliver one or several events. Kept for seven days.',
  fields: (t) => ({
    deliveryId: t.exposeID('deliveryId', { description: 'UUID of the attempt.' }),
    eventId: t.exposeString('eventId', {
      description: 'Header `webhook-id`: the same for each attempt. It has the first and the last cursor.',
    }),
    type: t.exposeString('type', { description: 'Type of the events.' }),
    attempt: t.exposeInt('attempt', { description: 'Number of the attempt, from 1.' }),
    at: t.expose('at', { type: 'DateTime', description: 'Time at which the attempt ended.' }),
    httpStatus: t.int({
      ...nullable('HTTP status of the answer; null without one.'),
      resolve: ({ status }) => status,
    }),
    durationMs: t.exposeInt('durationMs', { description: 'Duration in milliseconds.' }),
    reason: t.exposeString('reason', nullable('Why it failed; null if it succeeded.')),
    response: t.exposeString('response', nullable('First 2 KB of the body of the answer; null without one.')),
  }),
})

export const WebhookRef = builder.objectRef<Webhook>('Webhook').implement({
  description: 'A URL to which the changes of a store are posted, in the order of the feed and at least once.',
  fields: (t) => ({
    webhookId: t.exposeID('webhookId', { description: 'UUID of the webhook.' }),
    storeUuid: t.exposeID('storeUuid', { description: 'UUID of the store.' }),
    url: t.exposeString('url', { description: 'URL of the receiver.' }),
    headerNames: t.exposeStringList('headerNames', {
      description: 'Names of the headers that are sent besides the usual ones. Their values are not shown.',
    }),
    filter: t.expose('filter', { type: WebhookFilterRef, description: 'Which events are delivered.' }),
    state: t.expose('state', { type: WebhookStateRef, description: 'State of the webhook.' }),
    failingSince: t.expose(
      'failingSince',
      nullableTime('Time of the first failed attempt since the last success; null if the last attempt succeeded.'),
    ),
    nextAttemptAt: t.expose('nextAttemptAt', nullableTime('Time of the next attempt after one that failed.')),
    cursor: t.exposeString('cursor', { description: 'Cursor of the feed: all events up to it are delivered.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    lag: t.field({
      type: WebhookLagRef,
      complexity: lookupCost,
      description: 'Changes that are not delivered yet.',
      resolve: (webhook, _args, { catalogue }) => readLag(catalogue, webhook),
    }),
    deliveries: t.field({
      type: [WebhookDeliveryRef],
      complexity: firstCost(usualDeliveries),
      description: 'Attempts of the last seven days, the newest first.',
      args: { first: t.arg.int(firstArg(maxDeliveries, usualDeliveries)) },
      resolve: (webhook, { first }, { catalogue }) =>
        listDeliveries(catalogue, webhook, requireFirst(first, maxDeliveries, usualDeliveries)),
    }),
  }),
})

builder.objectField(StoreRef, 'webhooks', (t) =>
  t.field({
    type: [WebhookRef],
    extensions: ofWebhooks,
    complexity: { field: lookupCost, multiplier: usualWebhooks },
    description: 'Webhooks of the store, at most 20, in the order of their creation. Needs the scope `webhook`, too.',
    resolve: ({ storeUuid }, _args, { catalogue }) => listWebhooks(catalogue, storeUuid),
  }),
)

builder.queryField('webhook', (t) =>
  t.field({
    type: WebhookRef,
    nullable: true,
    extensions: ofWebhooks,
    description:
      'Finds a webhook; null when there is none or when the token has no access to its store. Needs the scope `webhook`, too.',
    args: { id: t.arg.id(required('UUID of the webhook.')) },
    resolve: async (_root, { id }, { catalogue }) => (await findWebhook(catalogue, id)) ?? null,
  }),
)
