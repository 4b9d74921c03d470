import { z } from 'zod'
import { text } from './shapes.ts'

const names = z.array(text, 'must be a list').nullish()

const headers = z
  .array(
    z.object({ name: text.describe('Name.'), value: text.describe('Value; never shown again.') }, 'must be an object'),
    'must be a list',
  )
  .nullish()
  .describe('Headers to send besides the usual ones: at most five.')

const filter = z
  .object(
    {
      types: names.describe('Types of events, such as `product.updated`.'),
      operations: names.describe('Names of mutations, such as `updateProducts`; `import` for imports.'),
      attributes: names.describe('Attributes of products, and `status`.'),
      channels: names.describe('Channels of links and requirements.'),
      code_prefix: text.nullish().describe('First characters of the codes.'),
    },
    'must be an object',
  )
  .nullish()
  .describe('Which events to deliver; all conditions must hold.')

const url = 'URL of the receiver: `https`, a public host, port 443 or above 1023, without user and password.'

/** The body of POST /webhooks. */
export const newWebhook = z.object({ url: text.describe(url), headers, filter }, 'must be an object')

/** The body of PATCH /webhooks/{id}. */
export const changedWebhook = z.object(
  {
    url: text.nullish().describe(url),
    headers,
    filter,
    enabled: z.boolean('must be true or false').nullish().describe('Whether changes are delivered.'),
  },
  'must be an object',
)
