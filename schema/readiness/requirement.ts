import {
  listRequirements,
  maxRequirements,
  type Requirement,
  setRequirements,
} from '../../src/catalogue/readiness/requirements.ts'
import { partOfResult } from '../../src/graphql/access.ts'
import { resolveWrite, writeArgs } from '../builder/arguments.ts'
import { builder } from '../builder/builder.ts'
import { statementCost } from '../builder/lists.ts'
import { catalogueText, required } from '../builder/options.ts'
import { enumOf } from '../enumerations.ts'
import { StoreRef } from '../stores/store.ts'

const RequirementKind = enumOf<Requirement['kind']>('RequirementKind', 'Kind of a requirement.', {
  ATTRIBUTE: 'The product must have a value of an attribute that is not blank.',
  ASSET: 'The product must have assets of a format on the channel.',
  STATUS: 'The product must have a status that matches a pattern.',
})

export const Severity = enumOf<Requirement['severity']>('RequirementSeverity', 'Severity of a requirement.', {
  REQUIRED: 'A product that does not meet the requirement is not ready.',
  RECOMMENDED: 'A product that does not meet the requirement can be ready; the gap is only counted.',
})

const descriptions = {
  code: 'Name of the requirement, unique on its channel: 1 to 64 characters.',
  kind: 'Kind of requirement.',
  attribute: 'Attribute that must have a value. Required for the kind `ATTRIBUTE`, not allowed for others.',
  assetFormat: 'Format of the assets, for the kind `ASSET` only. Default: `image`.',
  minimum: 'Minimum number of characters, or of assets of the format. Default: 1. Not for the kind `STATUS`.',
  pattern:
    'Regular expression in RE2 syntax. It must match the whole value, which may have at most 1,000 characters, or the status as REST spells it. Default for the kind `STATUS`: `active`. The patterns of a channel may have at most 1,000 steps together.',
  severity: 'Severity. Default: `REQUIRED`.',
  whenAttribute:
    'The requirement applies only to products that have a value of this attribute. Default: to all products.',
  whenValues:
    'The requirement applies only to products whose `whenAttribute` has one of these values. Default: any value.',
}

const ChannelRequirementRef = builder.objectRef<Requirement>('ChannelRequirement').implement({
  description: 'A requirement that the products of a store must meet on a channel.',
  extensions: partOfResult,
  fields: (t) => ({
    code: t.exposeString('code', { description: descriptions.code }),
    kind: t.expose('kind', { type: RequirementKind, description: descriptions.kind }),
    attribute: t.exposeString('attribute', { nullable: true, description: descriptions.attribute }),
    assetFormat: t.exposeString('assetFormat', { nullable: true, description: descriptions.assetFormat }),
    minimum: t.exposeInt('minimum', { nullable: true, description: descriptions.minimum }),
    pattern: t.exposeString('pattern', { nullable: true, description: descriptions.pattern }),
    severity: t.expose('severity', { type: Severity, description: descriptions.severity }),
    whenAttribute: t.exposeString('whenAttribute', { nullable: true, description: descriptions.whenAttribute }),
    whenValues: t.exposeStringList('whenValues', { nullable: true, description: descriptions.whenValues }),
  }),
})

const ChannelRequirementInput = builder.inputType('ChannelRequirementInput', {
  ...catalogueText,
  description: 'A requirement of a channel.',
  fields: (t) => ({
    code: t.string(required(descriptions.code)),
    kind: t.field({ type: RequirementKind, required: true, description: descriptions.kind }),
    attribute: t.string({ description: descriptions.attribute }),
    assetFormat: t.string({ description: descriptions.assetFormat }),
    minimum: t.int({ description: descriptions.minimum }),
    pattern: t.string({ description: descriptions.pattern }),
    severity: t.field({ type: Severity, description: descriptions.severity }),
    whenAttribute: t.string({ description: descriptions.whenAttribute }),
    whenValues: t.stringList({ description: descriptions.whenValues }),
  }),
})

builder.objectField(StoreRef, 'channelRequirements', (t) =>
  t.field({
    type: [ChannelRequirementRef],
    complexity: { field: statementCost, multiplier: 10 },
    description: 'Requirements of a channel, in the order in which they were set; empty if there are none.',
    args: { channel: t.arg.string(required('Channel.')) },
    resolve: async ({ storeUuid }, { channel }, { catalogue }) =>
      (await listRequirements(catalogue, storeUuid, channel))[0]?.requirements ?? [],
  }),
)

builder.mutationField('setChannelRequirements', (t) =>
  t.field({
    type: [ChannelRequirementRef],
    description:
      'Replaces the requirements of a channel; an empty list removes them. `Product.readiness` changes at once. The gateway counts all products for `Store.readiness` in the background, without a `Job`: meanwhile `isCounting` is true, and the numbers belong to the previous requirements. Errors: `invalid_request` (one entry per fault; nothing is changed), `store_not_found`.',
    args: {
      ...writeArgs,
      channel: t.arg.string(required('Channel: one of `enumerations.channels`.')),
      requirements: t.arg({
        type: [ChannelRequirementInput],
        required: true,
        description: `Requirements: at most ${maxRequirements}, with at most 256 KiB of JSON.`,
      }),
    },
    resolve: resolveWrite(
      (catalogue, { storeUuid, channel, requirements }, { enumerations }) =>
        setRequirements(catalogue, enumerations, storeUuid, channel, requirements),
      () => 1,
    ),
  }),
)
