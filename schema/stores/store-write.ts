import { createStore } from '../../src/catalogue/stores/stores.ts'
import { updateStore } from '../../src/catalogue/stores/update-store.ts'
import { returnsStored } from '../../src/graphql/access.ts'
import { withoutNulls } from '../../src/text.ts'
import { dryRunArgs, resolveWrite, writeArgs } from '../builder/arguments.ts'
import { builder } from '../builder/builder.ts'
import { catalogueText, required } from '../builder/options.ts'
import { StoreRef } from './store.ts'

const CreateStoreInput = builder.inputType('CreateStoreInput', {
  ...catalogueText,
  description: 'A store to create (spec: Store). Repeated values of a list are stored once, in order.',
  fields: (t) => ({
    storeName: t.string(required('Name of the store: 1 to 200 characters after trimming; need not be unique.')),
    storeTaxonomy: t.string(required('Taxonomy: one of `enumerations.storeTaxonomies`.')),
    region: t.stringList(required('Regions: values of `enumerations.regions`; may be empty.')),
    channels: t.stringList(required('Channels: values of `enumerations.channels`; may be empty.')),
    defaultAutomation: t.stringList(
      required('Automations: values of `enumerations.defaultAutomations`; may be empty.'),
    ),
    storeWebsite: t.string({ description: 'Web site: at most 2,048 characters, or null.' }),
  }),
})

const UpdateStoreInput = builder.inputType('UpdateStoreInput', {
  ...catalogueText,
  description: 'Changes to a store. An omitted or null field is not changed, except that null clears `storeWebsite`.',
  fields: (t) => ({
    storeName: t.string({ description: 'Name of the store: 1 to 200 characters after trimming; need not be unique.' }),
    storeTaxonomy: t.string({ description: 'Taxonomy: one of `enumerations.storeTaxonomies`.' }),
    region: t.stringList({ description: 'Regions: values of `enumerations.regions`; replaces the list.' }),
    channels: t.stringList({ description: 'Channels: values of `enumerations.channels`; replaces the list.' }),
    defaultAutomation: t.stringList({
      description: 'Automations: values of `enumerations.defaultAutomations`; replaces the list.',
    }),
    storeWebsite: t.string({ description: 'Web site: at most 2,048 characters, or null.' }),
  }),
})

builder.mutationFields((t) => ({
  createStore: t.field({
    type: StoreRef,
    extensions: { access: 'all stores' },
    description:
      'Creates a store (spec: POST /stores). Errors: `invalid_request` (one entry per fault), `store_not_found` (the linked store), `forbidden` (the token is limited to stores).',
    args: {
      input: t.arg({ type: CreateStoreInput, required: true, description: 'Store to create.' }),
      copyTaxonomy: t.arg.boolean({
        defaultValue: false,
        description: 'Whether to copy the attribute definitions of the linked store. Requires `linkedStoreId`.',
      }),
      linkedStoreId: t.arg.id({
        description: 'UUID of a store whose group the new store joins. Default: a new group.',
      }),
      ...dryRunArgs,
    },
    resolve: resolveWrite(
      (catalogue, { input, copyTaxonomy, linkedStoreId }, { enumerations }) =>
        createStore(catalogue, enumerations, input, { linkedStoreId, copyTaxonomy: copyTaxonomy ?? false }),
      () => 1,
    ),
  }),
  updateStore: t.field({
    type: StoreRef,
    extensions: returnsStored,
    description:
      'Changes fields of a store. Fields of the result other than `storeUuid` need the scope `read`. Errors: `invalid_request` (one entry per fault), `store_not_found`.',
    args: { ...writeArgs, input: t.arg({ type: UpdateStoreInput, required: true, description: 'Changes to apply.' }) },
    resolve: resolveWrite(
      (catalogue, { storeUuid, input: { storeWebsite, ...input } }, { enumerations }) =>
        updateStore(catalogue, enumerations, storeUuid, {
          ...withoutNulls(input),
          // Null clears it.
          ...(storeWebsite !== undefined && { storeWebsite }),
        }),
      () => 1,
    ),
  }),
}))
