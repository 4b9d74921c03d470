import { builder } from '../builder/builder.ts'

export const EventFilterInput = builder.inputType('EventFilter', {
  description:
    'Filter for events. All given conditions must hold. A change that matches in part has only the codes, keys and counts that match. At most 100 names for each condition.',
  fields: (t) => ({
    types: t.stringList({ description: 'Types, such as `product.updated`.' }),
    operations: t.stringList({ description: 'Names of mutations, such as `updateProducts`; `import` for imports.' }),
    attributes: t.stringList({
      description:
        'Attributes of products, and `status`. Products that are created or deleted match, and definitions of these attributes; nothing else does.',
    }),
    channels: t.stringList({ description: 'Channels of links, requirements and readiness. Nothing else matches.' }),
    codePrefix: t.string({ description: 'First characters of the codes.' }),
  }),
})
