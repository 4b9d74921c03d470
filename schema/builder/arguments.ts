import type { GraphQLResolveInfo } from 'graphql'
import type { Catalogue, WriteCatalogue } from '../../src/catalogue/catalogue.ts'
import { defaultAssetFormat, defaultChannel } from '../../src/catalogue/enumerations.ts'
import { repeatedAfterDeadlock } from '../../src/catalogue/locks.ts'
import { maxStores } from '../../src/catalogue/stores/list-stores.ts'
import { rolledBackIf } from '../../src/catalogue/transaction.ts'
import { type Context, requireFewAffected } from '../../src/graphql/context.ts'
import { isSelectedOnce, requireAnswerable } from '../../src/graphql/limits/answer-size.ts'
import { builder } from './builder.ts'
import { required } from './options.ts'

export const storeArgs = builder.args((t) => ({
  storeUuid: t.id(required('UUID of the store, case-insensitive.')),
}))

export const storesArg = builder.args((t) => ({
  storeUuids: t.idList({
    description: `UUIDs of stores: at most ${maxStores}. Default: all accessible stores; an error if there are more than ${maxStores}. Errors: \`store_not_found\`.`,
    validate: { maxLength: maxStores },
  }),
}))

/** The number of the stores of `storesArg`, at most, for the cost. */
export function storeCount({ storeUuids }: { storeUuids?: readonly string[] | null | undefined }): number {
  return storeUuids?.length ?? maxStores
}

export const dryRunArgs = builder.args((t) => ({
  dryRun: t.boolean({ defaultValue: false, description: 'Dry run: return the same result and change nothing.' }),
}))

export const writeArgs = { ...storeArgs, ...dryRunArgs }

export type ResultOf<Work extends (...args: never[]) => unknown> = Awaited<ReturnType<Work>>

/** The catalogue for the writes of a mutation: changes are recorded with its name as the operation. */
export function writable({ catalogue, origin }: Context, { fieldName: operation }: GraphQLResolveInfo): Catalogue {
  return { ...catalogue, origin: origin && { ...origin, operation } }
}

/**
 * A resolver that runs `work` in one transaction. A dry run rolls it back; so does an error, for instance when more
 * items are `affected` than the caller allows.
 */
export function resolveWrite<Args extends { dryRun?: boolean | null | undefined }, Result>(
  work: (catalogue: WriteCatalogue, args: Args, context: Context, info: GraphQLResolveInfo) => Promise<Result>,
  affected: (result: Result, args: Args) => number,
) {
  return (_root: unknown, args: Args, context: Context, info: GraphQLResolveInfo) =>
    rolledBackIf(writable(context, info), args.dryRun, async (catalogue) => {
      const result = await work(catalogue, args, context, info)
      requireAnswerable(result, context, info)
      requireFewAffected(affected(result, args), context)
      return result
    })
}

/**
 * As `resolveWrite`, for work of one statement. Without a transaction if its result cannot be refused: one round trip
 * instead of three, as it needs no `begin` and `commit`.
 */
export function resolveStatement<Args extends { dryRun?: boolean | null | undefined }, Result>(
  work: (catalogue: Catalogue, args: Args, context: Context) => Promise<Result>,
  affected: (result: Result, args: Args) => number,
) {
  const guarded = resolveWrite(work, affected)
  return (root: unknown, args: Args, context: Context, info: GraphQLResolveInfo) => {
    // One result is never too long.
    const needsTransaction =
      !isSelectedOnce(info) || context.affected || args.dryRun || context.catalogue.isInTransaction
    if (needsTransaction) return guarded(root, args, context, info)
    return repeatedAfterDeadlock(() => work(writable(context, info), args, context))
  }
}

interface ChannelAndFormat {
  channel?: string | null | undefined
  assetFormat?: string | null | undefined
}

/** Replaces null by the default channel and format. */
export function withDefaults<Given extends ChannelAndFormat>(given: Given) {
  return {
    ...given,
    channel: given.channel ?? defaultChannel,
    assetFormat: given.assetFormat ?? defaultAssetFormat,
  }
}

/** The arguments of a page by offset with a largest number of items, as `pageOf` reads them. */
export function offsetArgs(items: string, largest: number) {
  return builder.args((t) => ({
    offset: t.int({
      defaultValue: 0,
      description: `Number of ${items} to skip: 0 or more. Past the end the page is empty.`,
      validate: { min: 0 },
    }),
    limit: t.int({
      defaultValue: largest,
      description: `Page size in ${items}: 1 or more; values above ${largest} are clamped to ${largest}.`,
      validate: { min: 1 },
    }),
  }))
}

interface OffsetArguments {
  offset?: number | null | undefined
  limit?: number | null | undefined
}

export function pageOf({ offset, limit }: OffsetArguments, largest: number): { offset: number; limit: number } {
  return { offset: offset ?? 0, limit: Math.min(limit ?? largest, largest) }
}
