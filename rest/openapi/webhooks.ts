import { z } from 'zod'
import * as results from '../results.generated.ts'
import type { Json, Schemas } from './schemas.ts'

const notices: Record<string, string> = {
  'webhook.ping': 'Sent by a test, or to check that the receiver answers again.',
  'webhook.gap':
    'Changes before `cursor` are no longer kept, and were not delivered: read everything once. Later changes follow.',
}

/** Of kinds that are not created, updated and deleted. */
const actions: Record<string, readonly string[]> = {
  asset: ['created', 'deleted'],
  store: ['created', 'updated'],
  readiness: ['changed'],
  import: ['finished'],
}

const change = results.Change.extend({
  more: z.literal(true).optional().describe('There are more codes or keys: `GET /v1/changes` has them.'),
}).meta({
  id: 'DeliveredChange',
  description: 'A change: at most 200 of its codes. Of several in a delivery, those with `more` may have none.',
})

const joined = z.object({ changes: z.array(change) }).describe('Several changes of the type, in order.')

const notice = z.looseObject({
  type: z.string().describe('Type of the event.'),
  at: z.iso.datetime().describe('Time of the event.'),
  store_uuid: z.string().describe('UUID of the store.'),
})

const headers = {
  'webhook-id': 'The same for each attempt: a receiver that keeps the ids it has handled takes each delivery once.',
  'webhook-timestamp': 'Time of the attempt, in seconds since 1970.',
  'webhook-signature': 'Signatures in the form of Standard Webhooks, separated by spaces: `v1,` and base64.',
}

/** The requests that the gateway makes, as OpenAPI 3.1 has them in `webhooks`. */
export function webhookOperations(schemas: Schemas): Json {
  const bodyOf = (name: string, data: z.ZodType) =>
    schemas.named(
      name,
      z.object({
        type: z.string().describe('Type of the events.'),
        timestamp: z.iso.datetime().describe('Time of the last event.'),
        data,
      }),
    )
  const changes = bodyOf('ChangeDelivery', z.union([change, joined]).describe('A change, or several of the type.'))
  const other = bodyOf('NoticeDelivery', notice)
  const ofChanges = results.Change.shape.kind.options.map((kind) => {
    const types = (actions[kind] ?? ['created', 'updated', 'deleted']).map((action) => `\`${kind}.${action}\``)
    return [kind, webhookOperation(kind, `Changes of the kind \`${kind}\`: ${types.join(', ')}.`, changes)]
  })
  const ofNotices = Object.entries(notices).map(([type, description]) => [
    type,
    webhookOperation(type, description, other),
  ])
  return Object.fromEntries([...ofChanges, ...ofNotices])
}

function webhookOperation(name: string, description: string, schema: Json): Json {
  return {
    post: {
      operationId: `Receive.${name}`,
      tags: ['Webhooks'],
      summary: 'An event',
      description,
      security: [],
      parameters: Object.entries(headers).map(([name, description]) => ({
        name,
        in: 'header',
        description,
        required: true,
        schema: { type: 'string' },
      })),
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: { '2XX': { description: 'Delivered. Any other answer is a failure; 410 disables the webhook.' } },
    },
  }
}
