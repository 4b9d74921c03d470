import { requireVisible, type WriteCatalogue } from '../../src/catalogue/catalogue.ts'
import { type Context, requireLedger } from '../../src/graphql/context.ts'
import { createWebhook, type NewWebhook, rotateSecret, updateWebhook } from '../../src/webhooks/change-webhooks.ts'
import { deleteWebhook, type Webhook } from '../../src/webhooks/webhook.ts'
import { replayWebhook, retryWebhook, skipWebhookEvent, testWebhook } from '../../src/webhooks/webhook-actions.ts'
import { dryRunArgs, resolveWrite, writeArgs } from '../builder/arguments.ts'
import { builder } from '../builder/builder.ts'
import { catalogueText, required } from '../builder/options.ts'
import { EventFilterInput } from '../changes/event-filter.ts'
import { WebhookRef } from './webhook.ts'

const access = { access: 'webhook' } as const
const rights = 'Needs the scopes `webhook` and `read`. Not recorded as a change.'

const NewWebhookRef = builder.objectRef<NewWebhook>('NewWebhook').implement({
  description: 'A webhook with a secret that has just been made.',
  fields: (t) => ({
    secret: t.exposeString('secret', {
      description:
        'Secret that signs the deliveries (Standard Webhooks). It is returned only once: empty in a repetition by `Idempotency-Key`.',
    }),
    webhook: t.expose('webhook', { type: WebhookRef, description: 'The webhook.' }),
  }),
})

const WebhookHeaderInput = builder.inputType('WebhookHeaderInput', {
  ...catalogueText,
  description: 'A header that the receiver expects.',
  fields: (t) => ({
    name: t.string(required('Name, such as `Authorization`; not one that the gateway sends itself.')),
    value: t.string(required('Value: 1 to 1,024 characters of visible ASCII. It is never shown again.')),
  }),
})

const url =
  'URL of the receiver: `https`, a public host, port 443 or above 1023, without user and password; at most 2,048 characters.'
const headers = 'Headers to send besides the usual ones: at most five.'

const CreateWebhookInput = builder.inputType('CreateWebhookInput', {
  ...catalogueText,
  description: 'A webhook to create.',
  fields: (t) => ({
    url: t.string(required(url)),
    headers: t.field({ type: [WebhookHeaderInput], description: headers }),
    filter: t.field({ type: EventFilterInput, description: 'Which events to deliver. Default: all.' }),
  }),
})

const UpdateWebhookInput = builder.inputType('UpdateWebhookInput', {
  ...catalogueText,
  description: 'Changes to a webhook. An omitted or null field is not changed.',
  fields: (t) => ({
    url: t.string({ description: `${url} Another origin needs \`headers\`, too, if there are any.` }),
    headers: t.field({ type: [WebhookHeaderInput], description: `${headers} Replaces all.` }),
    filter: t.field({ type: EventFilterInput, description: 'Which events to deliver. Replaces the filter.' }),
    enabled: t.boolean({
      description:
        'False switches the webhook off. True sends a ping to one that is `DISABLED` or `PAUSED`, and switches it on if the receiver answers 2xx.',
    }),
  }),
})

const idArgs = builder.args((t) => ({ id: t.id(required('UUID of the webhook.')) }))

/** A resolver for a write of one webhook, or of a new one of a store. */
function resolveOne<Args extends { storeUuid?: string; dryRun?: boolean | null | undefined }, Result>(
  work: (catalogue: WriteCatalogue, args: Args, context: Context) => Promise<Result>,
) {
  const resolve = resolveWrite(work, () => 1)
  return (...call: Parameters<typeof resolve>) => {
    const [, { storeUuid }, context] = call
    // Before a transaction begins: it takes as long for a store that does not exist.
    if (storeUuid !== undefined) requireVisible(context.catalogue, storeUuid)
    requireLedger(context)
    return resolve(...call)
  }
}

builder.mutationFields((t) => {
  const actionField = (description: string, act: (catalogue: WriteCatalogue, id: string) => Promise<Webhook>) =>
    t.field({
      type: WebhookRef,
      extensions: access,
      description: `${description} Errors: \`webhook_not_found\`, \`changes_disabled\`. ${rights}`,
      args: { ...idArgs, ...dryRunArgs },
      resolve: resolveOne((catalogue, { id }) => act(catalogue, id)),
    })
  return {
    createWebhook: t.field({
      type: NewWebhookRef,
      extensions: access,
      description: `Creates a webhook, which delivers the changes that follow. Errors: \`invalid_request\` (one entry per fault), \`store_not_found\`, \`quota_exceeded\` (20 of a store), \`changes_disabled\`. ${rights}`,
      args: {
        ...writeArgs,
        input: t.arg({ type: CreateWebhookInput, required: true, description: 'Webhook to create.' }),
      },
      resolve: resolveOne((catalogue, { storeUuid, input }, { outgoingAllow }) =>
        createWebhook(catalogue, storeUuid, input, outgoingAllow),
      ),
    }),
    updateWebhook: t.field({
      type: WebhookRef,
      extensions: access,
      description: `Changes a webhook. Errors: \`invalid_request\` (one entry per fault), \`webhook_not_found\`, \`changes_disabled\`. ${rights}`,
      args: {
        ...idArgs,
        input: t.arg({ type: UpdateWebhookInput, required: true, description: 'Changes to apply.' }),
        ...dryRunArgs,
      },
      resolve: resolveOne((catalogue, { id, input }, { outgoingAllow }) =>
        updateWebhook(catalogue, id, input, outgoingAllow),
      ),
    }),
    rotateWebhookSecret: t.field({
      type: NewWebhookRef,
      extensions: access,
      description: `Gives a webhook a new secret. For 24 hours deliveries are signed by the former one, too; another rotation is refused meanwhile. Errors: \`invalid_request\`, \`webhook_not_found\`, \`changes_disabled\`. ${rights}`,
      args: { ...idArgs, ...dryRunArgs },
      resolve: resolveOne((catalogue, { id }) => rotateSecret(catalogue, id)),
    }),
    replayWebhook: t.field({
      type: WebhookRef,
      extensions: access,
      description: `Delivers again the changes after a position. Errors: \`invalid_request\`, \`webhook_not_found\`, \`cursor_expired\`, \`changes_disabled\`. ${rights}`,
      args: {
        ...idArgs,
        from: t.arg.string(
          required('Cursor of the feed, after which changes are delivered, or their time as RFC 3339.'),
        ),
        ...dryRunArgs,
      },
      resolve: resolveOne((catalogue, { id, from }) => replayWebhook(catalogue, id, from)),
    }),
    deleteWebhook: actionField('Deletes a webhook, and returns it.', deleteWebhook),
    testWebhook: actionField('Sends an event `webhook.ping` soon; `Webhook.deliveries` has its result.', testWebhook),
    retryWebhook: actionField('Makes the next attempt now.', retryWebhook),
    skipWebhookEvent: actionField(
      'Skips the delivery whose last attempt failed. If there is none, nothing changes.',
      skipWebhookEvent,
    ),
  }
})
