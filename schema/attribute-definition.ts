import { defineAttributes, removeDefinitions } from '../src/catalog/attribute-definitions.ts'
import type { StoredDefinition } from '../src/catalog/attribute-rules.ts'
import type { AttributeViolations } from '../src/catalog/attribute-violations.ts'
import { write } from '../src/catalog/write.ts'
import { builder } from './builder.ts'
import { dryRunArg, items, storable } from './validation.ts'

const AttributeType = builder.enumType('AttributeType', {
  description: "The type that an attribute's values must have.",
  values: {
    TEXT: { value: 'text', description: 'Any text.' },
    NUMBER: { value: 'number', description: 'A decimal number such as `-12.5`.' },
    BOOLEAN: { value: 'boolean', description: '`true` or `false`.' },
    DATE: { value: 'date', description: 'A real day as `YYYY-MM-DD`.' },
    URL: { value: 'url', description: 'An absolute URL with a host.' },
    ENUM: { value: 'enum', description: 'One of the allowed values.' },
  } as const,
})

const descriptions = {
  name: "The attribute's name: 1 to 255 characters; not `status`, `product_code` or `assets`.",
  type: 'The type of its values.',
  allowedValues: 'The only values allowed; at least one for the type `ENUM`.',
  maxLength: 'The longest value allowed, in characters.',
  pattern: 'A pattern in RE2 syntax that the whole value must match.',
}

const AttributeViolationRef = builder
  .objectRef<AttributeViolations['examples'][number]>('AttributeViolation')
  .implement({
    description: 'A stored value that a definition would not take.',
    fields: (t) => ({
      productCode: t.exposeString('productCode', { description: 'The product that has it.' }),
      value: t.exposeString('value', { description: 'The value.' }),
      reason: t.exposeString('reason', { description: 'What was expected and what is there.' }),
    }),
  })

const AttributeViolationsRef = builder.objectRef<AttributeViolations>('AttributeViolations').implement({
  description: 'The stored values that a definition would not take.',
  fields: (t) => ({
    productCount: t.exposeInt('productCount', { description: 'How many products have such a value, exactly.' }),
    examples: t.field({
      type: [AttributeViolationRef],
      description: 'The first of them, at most 100, in the order of the product codes.',
      resolve: (violations) => violations.examples,
    }),
  }),
})

export const AttributeDefinitionRef = builder.objectRef<StoredDefinition>('AttributeDefinition').implement({
  description: "What a store demands of an attribute's values. An attribute without a definition takes any string.",
  fields: (t) => ({
    name: t.exposeString('name', { description: descriptions.name }),
    type: t.expose('type', { type: AttributeType, description: descriptions.type }),
    allowedValues: t.exposeStringList('allowedValues', { nullable: true, description: descriptions.allowedValues }),
    maxLength: t.exposeInt('maxLength', { nullable: true, description: descriptions.maxLength }),
    pattern: t.exposeString('pattern', { nullable: true, description: descriptions.pattern }),
    violations: t.field({
      type: AttributeViolationsRef,
      complexity: 100,
      description:
        'The values already stored that this definition would not take: what a change of it leaves to mend. Reads all products that have the attribute.',
      resolve: async (definition, _args, { loaders }) =>
        (await loaders.attributeViolations.load(definition)) ?? { productCount: 0, examples: [] },
    }),
  }),
})

const AttributeDefinitionInput = builder.inputType('AttributeDefinitionInput', {
  description: 'A definition to make, or to put in the place of the one of the same name.',
  fields: (t) => ({
    name: t.string({ required: true, description: descriptions.name }),
    type: t.field({ type: AttributeType, required: true, description: descriptions.type }),
    allowedValues: t.stringList({ description: descriptions.allowedValues, validate: items }),
    maxLength: t.int({ description: descriptions.maxLength }),
    pattern: t.string({ description: descriptions.pattern }),
  }),
})

builder.mutationField('defineAttributes', (t) =>
  t.field({
    type: [AttributeDefinitionRef],
    description:
      "Defines attributes of a store; a definition of the same name is replaced, values already stored are not touched. Answers with all of the store's definitions. Errors: `invalid_request` (then nothing is defined), `store_not_found`.",
    args: {
      storeUuid: t.arg.id({ required: true, description: 'The store.', validate: storable }),
      definitions: t.arg({
        type: [AttributeDefinitionInput],
        required: true,
        description: 'The definitions, each name once; at most 10,000.',
        validate: items,
      }),
      dryRun: t.arg.boolean(dryRunArg),
    },
    resolve: (_root, { storeUuid, definitions, dryRun }, { db }) =>
      write(db, dryRun ?? false, (transaction) =>
        defineAttributes(
          transaction,
          storeUuid,
          definitions.map((definition) => ({
            name: definition.name,
            type: definition.type,
            allowedValues: definition.allowedValues ?? null,
            maxLength: definition.maxLength ?? null,
            pattern: definition.pattern ?? null,
          })),
        ),
      ),
  }),
)

builder.mutationField('removeAttributeDefinitions', (t) =>
  t.field({
    type: [AttributeDefinitionRef],
    description:
      "Removes attribute definitions by name; names without one are passed over, values already stored are not touched. Answers with the store's remaining definitions. Errors: `store_not_found`.",
    args: {
      storeUuid: t.arg.id({ required: true, description: 'The store.', validate: storable }),
      names: t.arg.stringList({ required: true, description: 'The names; at most 10,000.', validate: items }),
      dryRun: t.arg.boolean(dryRunArg),
    },
    resolve: (_root, { storeUuid, names, dryRun }, { db }) =>
      write(db, dryRun ?? false, (transaction) => removeDefinitions(transaction, storeUuid, names)),
  }),
)
