import type { ProductReadiness } from '../../src/catalogue/readiness/product-readiness.ts'
import { builder } from '../builder/builder.ts'
import { ProductRef } from '../product.ts'
import { Severity } from './requirement.ts'

const MissingRequirementRef = builder.objectRef<ProductReadiness['missing'][number]>('MissingRequirement').implement({
  description: 'A requirement that a product does not meet.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'Name of the requirement.' }),
    severity: t.expose('severity', { type: Severity, description: 'Whether the product can do without it.' }),
    reason: t.exposeString('reason', { description: 'Explanation: what is expected, and what the product has.' }),
  }),
})

const ProductReadinessRef = builder.objectRef<ProductReadiness>('ProductReadiness').implement({
  description: 'How a product stands on a channel.',
  fields: (t) => ({
    channel: t.exposeString('channel', { description: 'Channel.' }),
    ready: t.exposeBoolean('ready', { description: 'Whether nothing that is required is missing.' }),
    missing: t.expose('missing', {
      type: [MissingRequirementRef],
      description: 'What is missing, required or recommended, in the order of the requirements.',
    }),
  }),
})

builder.objectField(ProductRef, 'readiness', (t) =>
  t.field({
    type: [ProductReadinessRef],
    complexity: { field: 10, multiplier: 5 },
    description:
      'What the product lacks on each channel with requirements, computed now. For the numbers of a whole store use `Store.readiness`.',
    resolve: async (product, _args, { loaders }) => (await loaders.productReadiness.load(product)) ?? [],
  }),
)
