import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { z } from 'zod'
import { type Endpoint, endpoint, found, foundStore } from './endpoint.ts'
import type { WebhookFragment } from './operations.generated.ts'
import * as operations from './operations.generated.ts'
import * as input from './request/shapes.ts'
import { changedWebhook, newWebhook } from './request/webhook-shapes.ts'
import * as results from './results.generated.ts'
import { camelCase, restObject } from './translate.ts'

const id = input.text.describe('UUID of the webhook.')
const one = z.object({ id, dry_run: input.dryRun })
const path = '/webhooks/{id}'
const extraReasons = ['webhook_not_found', 'changes_disabled'] as const

/** Receivers of changes. Each endpoint is one GraphQL operation. */
export const webhooks: readonly Endpoint[] = [
  endpoint({
    method: 'GET',
    path: '/webhooks',
    summary: 'List webhooks',
    description: 'The webhooks of a store, in the order of their creation. Needs the scopes `webhook` and `read`.',
    dataShape: z.object({ webhooks: z.array(results.Webhook).describe('Webhooks of the store.') }),
    document: operations.ListWebhooksDocument,
    shapes: () => ({ query: z.object({ store_uuid: input.storeUuid }) }),
    variables: camelCase,
    toData: ({ store }) => ({ webhooks: foundStore(store).webhooks.map((webhook) => restObject(webhook)) }),
  }),
  endpoint({
    method: 'POST',
    path: '/webhooks',
    summary: 'Create a webhook',
    description:
      'Posts later changes of a store to a URL, signed with the secret in the answer, which is shown only once. A store has at most 20 webhooks. Needs the scopes `webhook` and `read`.',
    extraReasons: ['changes_disabled'],
    dataShape: results.CreateWebhook,
    document: operations.CreateWebhookDocument,
    shapes: () => ({ query: input.storeWrite, body: newWebhook }),
    variables: (query, body) => ({ ...camelCase(query), input: inputOf(body) }),
    toData: ({ createWebhook: made }) => ({ ...made, webhook: restObject(made.webhook) }),
  }),
  endpoint({
    method: 'GET',
    path,
    summary: 'Get a webhook',
    description: 'A webhook with its state. Needs the scopes `webhook` and `read`.',
    extraReasons,
    dataShape: results.Webhook,
    document: operations.GetWebhookDocument,
    shapes: () => ({ query: z.object({ id }) }),
    variables: camelCase,
    toData: ({ webhook }) => restObject(foundWebhook(webhook)),
  }),
  endpoint({
    method: 'PATCH',
    path,
    summary: 'Change a webhook',
    description:
      'Changes the given fields. `enabled: false` switches the webhook off; `true` sends a ping, and switches it on if the receiver answers 2xx. Needs the scopes `webhook` and `read`.',
    extraReasons,
    dataShape: results.Webhook,
    document: operations.UpdateWebhookDocument,
    shapes: () => ({ query: one, body: changedWebhook }),
    variables: (query, body) => ({ ...camelCase(query), input: inputOf(body) }),
    toData: ({ updateWebhook: webhook }) => restObject(webhook),
  }),
  act('DELETE', path, operations.DeleteWebhookDocument, {
    summary: 'Delete a webhook',
    description: 'Deletes a webhook, and returns it.',
  }),
  endpoint({
    method: 'POST',
    path: `${path}/rotate`,
    summary: "Rotate a webhook's secret",
    description:
      'A new secret. For 24 hours deliveries are signed by the former one, too, and another rotation is refused. Needs the scopes `webhook` and `read`. The request has no body.',
    extraReasons,
    dataShape: results.RotateWebhookSecret,
    document: operations.RotateWebhookSecretDocument,
    shapes: () => ({ query: one }),
    variables: camelCase,
    toData: ({ rotateWebhookSecret: made }) => ({ ...made, webhook: restObject(made.webhook) }),
  }),
  act('POST', `${path}/test`, operations.TestWebhookDocument, {
    summary: 'Test a webhook',
    description: 'Sends the event `webhook.ping` soon; its result is among the deliveries.',
  }),
  endpoint({
    method: 'POST',
    path: `${path}/replay`,
    summary: 'Deliver changes again',
    description:
      'Delivers again the changes after a cursor or time. Needs the scopes `webhook` and `read`. The request has no body.',
    extraReasons: [...extraReasons, 'cursor_expired'],
    dataShape: results.Webhook,
    document: operations.ReplayWebhookDocument,
    shapes: () => ({ query: one.extend({ from: input.text.describe('Cursor of the feed, or a time as RFC 3339.') }) }),
    variables: camelCase,
    toData: ({ replayWebhook: webhook }) => restObject(webhook),
  }),
  act('POST', `${path}/retry`, operations.RetryWebhookDocument, {
    summary: 'Retry a delivery',
    description: 'Makes the next attempt now.',
  }),
  act('POST', `${path}/skip`, operations.SkipWebhookEventDocument, {
    summary: 'Skip a delivery',
    description: 'Skips the delivery whose last attempt failed. If there is none, nothing changes.',
  }),
  endpoint({
    method: 'GET',
    path: `${path}/deliveries`,
    summary: 'List deliveries',
    description: 'Attempts of the last seven days, the newest first. Needs the scopes `webhook` and `read`.',
    extraReasons,
    dataShape: z.object({ deliveries: z.array(results.WebhookDelivery).describe('Attempts, the newest first.') }),
    document: operations.ListWebhookDeliveriesDocument,
    shapes: () => ({ query: z.object({ id, limit: input.pageSize('attempts', 100) }) }),
    variables: camelCase,
    toData: ({ webhook }) => ({ deliveries: foundWebhook(webhook).deliveries.map((attempt) => restObject(attempt)) }),
  }),
]

type OneVariables = { id: string; dryRun: boolean }

/** An endpoint without a body that acts on a webhook and returns it. */
function act(
  method: 'POST' | 'DELETE',
  path: string,
  document: TypedDocumentNode<Record<string, unknown>, OneVariables>,
  { summary, description }: { summary: string; description: string },
): Endpoint {
  return endpoint({
    method,
    path,
    summary,
    description: `${description} Needs the scopes \`webhook\` and \`read\`. The request has no body.`,
    extraReasons,
    dataShape: results.Webhook,
    document,
    shapes: () => ({ query: one }),
    variables: (query): OneVariables => camelCase(query),
    toData: (result) => restObject(Object.values(result)[0] as WebhookFragment),
  })
}

function inputOf<Body extends { filter?: object | null | undefined }>({ filter, ...body }: Body) {
  return { ...body, filter: filter && camelCase(filter) }
}

function foundWebhook<Webhook>(webhook: Webhook | null): Webhook {
  return found(webhook, 'webhook_not_found', 'id', 'there is no webhook with this id')
}
