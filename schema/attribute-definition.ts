import {
  defineAttributes,
  maxFilterable,
  maxSearchable,
  removeDefinitions,
} from '../src/catalogue/attributes/attribute-definitions.ts'
import type { StoredDefinition } from '../src/catalogue/attributes/attribute-rules.ts'
import type { AttributeViolations } from '../src/catalogue/attributes/attribute-violations.ts'
import { returnsStored } from '../src/graphql/access.ts'
import { resolveWrite, writeArgs } from './builder/arguments.ts'
import { builder } from './builder/builder.ts'
import { keyInStore, loadByKeys } from './builder/node-ids.ts'
import { catalogueText, required } from './builder/options.ts'
import { enumOf } from './enumerations.ts'

const AttributeType = enumOf<StoredDefinition['type']>(
  'AttributeType',
  'Type that the values of an attribute must have. Values are always strings.',
  {
    text: 'Any string.',
    number: 'Decimal number, such as `-12.5`: without a plus sign and an exponent.',
    boolean: '`true` or `false`.',
    date: 'Calendar date as `YYYY-MM-DD`.',
    url: 'Absolute URL with a host.',
    enum: 'One of `allowedValues`.',
  },
)

const descriptions = {
  name: 'Name of the attribute: 1 to 255 characters; not `status`, `product_code` or `assets`.',
  type: 'Type of the values.',
  allowedValues: 'Allowed values, at least one for the type `ENUM`. Null: any value.',
  maxLength: 'Maximum length of a value in characters (code points). Null: 65,535.',
  pattern:
    'Regular expression in RE2 syntax that the whole value must match. It has at most 10,000 characters and 1,000 steps; a value has at most 4,096 characters, or 250,000 divided by the steps if that is less; for all values of a request, steps times characters are at most 20,000,000. Null: none.',
  searchable: `Whether \`search\` in products finds parts of the values: at most ${maxSearchable} attributes of a store. The values are indexed in the background: see \`Store.projections\`.`,
  filterable: `Whether filters, orders and facets may use the attribute in stores of any size: at most ${maxFilterable} attributes of a store. The values are indexed in the background: see \`Store.projections\`.`,
}

const AttributeViolationRef = builder
  .objectRef<AttributeViolations['examples'][number]>('AttributeViolation')
  .implement({
    description: 'A stored value that violates an attribute definition.',
    fields: (t) => ({
      productCode: t.exposeString('productCode', { description: 'Code of the product that has the value.' }),
      value: t.exposeString('value', { description: 'Stored value.' }),
      reason: t.exposeString('reason', { description: 'Explanation: the expected value and the stored one.' }),
    }),
  })

const AttributeViolationsRef = builder.objectRef<AttributeViolations>('AttributeViolations').implement({
  description: 'Stored values that violate an attribute definition.',
  fields: (t) => ({
    productCount: t.exposeInt('productCount', { description: 'Exact number of products with such a value.' }),
    examples: t.expose('examples', {
      type: [AttributeViolationRef],
      description: 'The first 100 such values, ordered by product code; fewer if they have more than 4 MiB.',
    }),
  }),
})

export const AttributeDefinitionRef = builder.objectRef<StoredDefinition>('AttributeDefinition')

builder.node(AttributeDefinitionRef, {
  id: { resolve: ({ storeUuid, name }) => keyInStore(storeUuid, name) },
  loadManyWithoutCache: (keys, { loaders }) =>
    loadByKeys(keys, async (storeUuid, name: string) => {
      const definitions = await loaders.attributeDefinitions.load(storeUuid)
      return definitions?.find((definition) => definition.name === name)
    }),
  description:
    'Constraint on the values of one attribute in one store. An attribute without a definition takes any string.',
  fields: (t) => ({
    name: t.exposeString('name', { description: descriptions.name }),
    type: t.expose('type', { type: AttributeType, description: descriptions.type }),
    allowedValues: t.exposeStringList('allowedValues', { nullable: true, description: descriptions.allowedValues }),
    maxLength: t.exposeInt('maxLength', { nullable: true, description: descriptions.maxLength }),
    pattern: t.exposeString('pattern', { nullable: true, description: descriptions.pattern }),
    filterable: t.exposeBoolean('filterable', { description: descriptions.filterable }),
    searchable: t.exposeBoolean('searchable', { description: descriptions.searchable }),
    indexed: t.boolean({
      description:
        'Whether all values are indexed. Until then a `filterable` attribute is treated as undeclared, and stores of more than 50,000 products refuse searches if the attribute is `searchable`.',
      resolve: ({ filterable, isIndexed, searchable, isSearched }) =>
        (filterable || searchable) && (isIndexed || !filterable) && (isSearched || !searchable),
    }),
    violations: t.field({
      type: AttributeViolationsRef,
      complexity: 100,
      description:
        'Stored values that violate this definition, for instance because they were stored before it. Reads every product that has the attribute.',
      resolve: async (definition, _args, { loaders }) =>
        (await loaders.attributeViolations.load(definition)) ?? { productCount: 0, examples: [] },
    }),
  }),
})

const AttributeDefinitionInput = builder.inputType('AttributeDefinitionInput', {
  ...catalogueText,
  description: 'An attribute definition to create, or to replace the definition of the same name with.',
  fields: (t) => ({
    name: t.string({ required: true, description: descriptions.name }),
    type: t.field({ type: AttributeType, required: true, description: descriptions.type }),
    allowedValues: t.stringList({ description: descriptions.allowedValues }),
    maxLength: t.int({ description: descriptions.maxLength }),
    pattern: t.string({ description: descriptions.pattern }),
    filterable: t.boolean({ defaultValue: false, description: descriptions.filterable }),
    searchable: t.boolean({ defaultValue: false, description: descriptions.searchable }),
  }),
})

builder.mutationFields((t) => ({
  defineAttributes: t.field({
    type: [AttributeDefinitionRef],
    extensions: returnsStored,
    description:
      'Creates or replaces attribute definitions of a store. Stored values are not changed or checked; `AttributeDefinition.violations` lists them. Returns all definitions of the store: reading them needs the scope `read`. Errors: `invalid_request` (one entry per fault; nothing is defined), `store_not_found`.',
    args: {
      ...writeArgs,
      definitions: t.arg({
        type: [AttributeDefinitionInput],
        required: true,
        description: 'Definitions: at most 10,000, each name once. Those of a store take at most 4 MiB of JSON.',
      }),
    },
    resolve: resolveWrite(
      (catalogue, { storeUuid, definitions }) => defineAttributes(catalogue, storeUuid, definitions),
      (_all, { definitions }) => definitions.length,
    ),
  }),
  removeAttributeDefinitions: t.field({
    type: [AttributeDefinitionRef],
    extensions: returnsStored,
    description:
      'Deletes attribute definitions by name and ignores names without a definition. Stored values are not changed. Returns the remaining definitions of the store: reading them needs the scope `read`. Errors: `store_not_found`.',
    args: { ...writeArgs, names: t.arg.stringList(required('Names of attributes: at most 10,000.')) },
    resolve: resolveWrite(
      (catalogue, { storeUuid, names }) => removeDefinitions(catalogue, storeUuid, names),
      (_all, { names }) => names.length,
    ),
  }),
}))
