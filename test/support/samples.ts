import {
  type GraphQLArgument,
  type GraphQLInputField,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isRequiredInputField,
} from 'graphql'

/** Good values of what has these names; a new required name has to be added here. */
const samples: Record<string, unknown> = {
  assetFormat: 'image',
  assetId: 'asset-1',
  assetIds: ['asset-1'],
  assets: { Image: 'https://cdn.example/new.jpg' },
  attribute: 'Color',
  attributes: { Color: 'red' },
  channel: 'SMP',
  channels: ['SMP'],
  code: 'title',
  column: 'Color',
  content: 'sku\nCODE-1\n',
  defaultAutomation: [],
  from: '2026-11-01T00:00:00Z',
  id: '01a1fdce-0000-7000-8000-00000000000f',
  ids: [],
  jobId: '01a1fdce-0000-7000-8000-00000000000f',
  key: 'a-key',
  name: 'Color',
  names: ['Color'],
  parentCode: 'CODE-1',
  position: 1,
  productCode: 'CODE-1',
  productCodes: ['CODE-1'],
  region: [],
  requestId: 'the-request',
  scopes: ['READ'],
  storeName: 'A name',
  storeTaxonomy: 'catalog',
  to: '2026-11-02T00:00:00Z',
  tokenId: '01a1fdce-0000-7000-8000-000000000000',
  url: 'https://cdn.example/new.jpg',
  value: 'x',
}

/** Names of stores, wherever they may be given. */
export const storeNames = /^(storeUuid|storeUuids|linkedStoreId|store|stores)$/

export type Input = GraphQLArgument | GraphQLInputField

export const isRequired = (input: Input) => isRequiredInputField(input as GraphQLInputField)

/** A good value of an argument or an input field, whose objects have the fields that are chosen. */
export function sampleOf(
  { name, type }: Pick<Input, 'name' | 'type'>,
  store: string,
  isGiven: (input: Input) => boolean = isRequired,
): unknown {
  const of = getNullableType(type)
  const object = getNamedType(type)
  if (name in samples && !isInputObjectType(object)) return samples[name]
  if (isListType(of)) return [sampleOf({ name, type: of.ofType }, store, isGiven)]
  if (isInputObjectType(object)) {
    const fields = Object.values(object.getFields()).filter(isGiven)
    return Object.fromEntries(fields.map((field) => [field.name, sampleOf(field, store, isGiven)]))
  }
  if (isEnumType(of)) return of.getValues()[0]?.name
  if (storeNames.test(name)) return store
  throw new Error(`tell test/support/samples.ts what to give for ${name}: ${String(type)}`)
}
