import { builder } from '../builder/builder.ts'

export const EventFilterInput = builder.inputType('EventFilter', {
  description:
    'Filter for events. All given conditions must hold. A change that matches in part has only the codes, keys and counts that match. At most 100 names for each condition.',
  fields: (t) => ({
    types: t.stringList({ description: 'Types, such as `product.updated`.' }),
    operations: t.stringList({ description: 'Names of mutations, such as `updateProducts`; `import` for imports.' }),
    attributes: t.stringList({
      description:
        'Names of attributes of products, or `status`. Creations and deletions of products, and changes of the definitions of these attributes, match, too; other changes do not.',
    }),
    channels: t.stringList({
      description: 'Channels of links, requirements and readiness. Other changes do not match.',
    }),
    codePrefix: t.string({ description: 'First characters of the codes.' }),
  }),
})
