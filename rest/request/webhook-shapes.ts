import { z } from 'zod'
import { text } from './shapes.ts'

/** An object without other members: one that is mistyped would silently be no condition. */
function only<Fields extends z.ZodRawShape>(fields: Fields) {
  const unknown = `is unknown; expected some of ${Object.keys(fields).join(', ')}`
  return z.strictObject(fields, {
    error: ({ code }) => (code === 'unrecognized_keys' ? unknown : 'must be an object'),
  })
}

const names = z.array(text, 'must be a list').nullish()

const header = only({ name: text.describe('Name.'), value: text.describe('Value; never shown again.') })
const headers = z
  .array(header.meta({ id: 'WebhookHeaderInput' }), 'must be a list')
  .nullish()
  .describe('Headers to send besides the usual ones: at most five.')

const filter = only({
  types: names.describe('Types of events, such as `product.updated`.'),
  operations: names.describe('Names of mutations, such as `updateProducts`; `import` for imports.'),
  attributes: names.describe('Attributes of products, and `status`.'),
  channels: names.describe('Channels of links and requirements.'),
  code_prefix: text.nullish().describe('First characters of the codes.'),
})
  .meta({ id: 'WebhookFilterInput' })
  .nullish()
  .describe('Which events to deliver; all conditions must hold.')

const url = 'URL of the receiver: `https`, a public host, port 443 or above 1023, without user and password.'

/** The body of POST /webhooks. */
export const newWebhook = only({ url: text.describe(url), headers, filter })

/** The body of PATCH /webhooks/{id}. */
export const changedWebhook = only({
  url: text.nullish().describe(url),
  headers,
  filter,
  enabled: z.boolean('must be true or false').nullish().describe('Whether changes are delivered.'),
})
