import type { ProductReadiness } from '../../src/catalogue/readiness/product-readiness.ts'
import { builder } from '../builder/builder.ts'
import { ProductRef } from '../products/product.ts'
import { Severity } from './requirement.ts'

const MissingRequirementRef = builder.objectRef<ProductReadiness['missing'][number]>('MissingRequirement').implement({
  description: 'A requirement that a product does not meet.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'Name of the requirement.' }),
    severity: t.expose('severity', { type: Severity, description: 'Severity of the requirement.' }),
    reason: t.exposeString('reason', { description: 'Explanation: the expected value and the value of the product.' }),
  }),
})

const ProductReadinessRef = builder.objectRef<ProductReadiness>('ProductReadiness').implement({
  description: 'Readiness of a product for a channel.',
  fields: (t) => ({
    channel: t.exposeString('channel', { description: 'Channel.' }),
    ready: t.exposeBoolean('ready', { description: 'Whether the product meets all required requirements.' }),
    missing: t.expose('missing', {
      type: [MissingRequirementRef],
      description: 'Required and recommended requirements that the product does not meet, in their order.',
    }),
  }),
})

builder.objectField(ProductRef, 'readiness', (t) =>
  t.field({
    type: [ProductReadinessRef],
    complexity: { field: 10, multiplier: 5 },
    description:
      'Readiness of the product for each channel that has requirements, computed on request. For the numbers of a store use `Store.readiness`.',
    resolve: async (product, _args, { loaders }) => (await loaders.productReadiness.load(product)) ?? [],
  }),
)
