import { isDeepStrictEqual } from 'node:util'
import { createToken, listTokens, revokeToken, type Token } from '../../auth/tokens.ts'
import {
  defineAttributes,
  listDefinitions,
  removeDefinitions,
} from '../../catalogue/attributes/attribute-definitions.ts'
import type { Catalogue, WriteCatalogue } from '../../catalogue/catalogue.ts'
import type { Enumerations } from '../../catalogue/enumerations.ts'
import { lockStore } from '../../catalogue/locks.ts'
import {
  listRequirements,
  normalized,
  type Requirement,
  setRequirements,
} from '../../catalogue/readiness/requirements.ts'
import { CatalogueError } from '../../errors.ts'
import { scopes as allScopes, type Scope } from '../../request/caller.ts'
import { withoutNulls } from '../../text.ts'
import type { ConfigFile } from './config-file.ts'
import { applyWebhooks, readWebhooks } from './config-webhooks.ts'
import { compare, type Difference, unmatched } from './difference.ts'

type Section<Name extends keyof ConfigFile> = NonNullable<ConfigFile[Name]>

/**
 * The configuration of a store as a file has it. Its tokens are the valid ones that are limited to this store and do
 * not expire: `config push` would create a token that has expired again with each run.
 */
export async function readStoreConfig(
  catalogue: Catalogue,
  storeUuid: string,
): Promise<{ [Name in keyof ConfigFile]-?: Section<Name> }> {
  const definitions = await listDefinitions(catalogue, storeUuid)
  const all = await listRequirements(catalogue, storeUuid)
  const tokens = await tokensOf(catalogue, storeUuid)
  return {
    attributes: definitions.map(
      ({ storeUuid: _, isIndexed: __, isSearched: ___, name, type, filterable, searchable, ...rules }) => ({
        name,
        type,
        ...withoutNulls({ ...rules, filterable: filterable || null, searchable: searchable || null }),
      }),
    ),
    requirements: Object.fromEntries(all.map((one) => [one.channel, one.requirements.map(shownRequirement)])),
    tokens: tokens.map(({ name, scopes }) => ({ name, scopes: sorted(scopes) })),
    webhooks: await readWebhooks(catalogue, storeUuid),
  }
}

/** Makes the store as the file says, and returns what was different, with the secrets of new tokens and webhooks. */
export async function applyConfig(
  catalogue: WriteCatalogue,
  enumerations: Enumerations,
  storeUuid: string,
  file: ConfigFile,
  outgoingAllow: readonly string[] = [],
) {
  await lockStore(catalogue, storeUuid, { definitions: 'all' })
  const now = await readStoreConfig(catalogue, storeUuid)
  const attributes = file.attributes && (await applyAttributes(catalogue, storeUuid, now.attributes, file.attributes))
  const requirements =
    file.requirements &&
    (await applyRequirements(catalogue, enumerations, storeUuid, now.requirements, file.requirements))
  const tokens = file.tokens && (await applyTokens(catalogue, storeUuid, file.tokens))
  const webhooks = file.webhooks && (await applyWebhooks(catalogue, storeUuid, file.webhooks, outgoingAllow))
  const others = [...(tokens?.differences ?? []), ...(webhooks?.differences ?? [])]
  return {
    differences: [...(attributes ?? []), ...(requirements ?? []), ...others],
    tokens: tokens?.made ?? [],
    webhooks: webhooks?.made ?? [],
  }
}

async function applyAttributes(
  catalogue: WriteCatalogue,
  storeUuid: string,
  now: Section<'attributes'>,
  wanted: Section<'attributes'>,
): Promise<Difference[]> {
  const differences = compare('attribute', now, wanted, ({ name }) => name)
  const removed = differences.filter(({ action }) => action === 'remove').map(({ name }) => name)
  if (removed.length > 0) await removeDefinitions(catalogue, storeUuid, removed)
  // All definitions are passed, so that faults have the index of the file. Unchanged definitions are not recorded.
  const naming = named((details) => details.replace(/^definitions/, 'attributes'))
  if (differences.length > 0) await defineAttributes(catalogue, storeUuid, wanted).catch(naming)
  return differences
}

async function applyRequirements(
  catalogue: WriteCatalogue,
  enumerations: Enumerations,
  storeUuid: string,
  now: Section<'requirements'>,
  file: Section<'requirements'>,
): Promise<Difference[]> {
  const all: Difference[] = []
  for (const channel of new Set([...Object.keys(now), ...Object.keys(file)])) {
    const wanted = (file[channel] ?? []).map((one) => normalized(stored(one)))
    const present = now[channel] ?? []
    const shownWanted = wanted.map(shownRequirement)
    if (isDeepStrictEqual(present, shownWanted)) continue
    const naming = named((details) => details.replace(/^requirements/, `requirements.${channel}`))
    await setRequirements(catalogue, enumerations, storeUuid, channel, wanted).catch(naming)
    const differences = compare('requirement', present, shownWanted, ({ code }) => `${channel} ${code}`)
    const order = { before: present.map(({ code }) => code), after: shownWanted.map(({ code }) => code) }
    const isReordered = differences.length === 0
    all.push(
      ...(isReordered ? [{ action: 'change', kind: 'requirement', name: channel, ...order } as const] : differences),
    )
  }
  return all
}

/** A token cannot be changed: one of other scopes is another token. */
async function applyTokens(catalogue: WriteCatalogue, storeUuid: string, wanted: Section<'tokens'>) {
  const inFile = ({ name, scopes }: Section<'tokens'>[number]) => ({ name: name.trim(), scopes: sorted(scopes) })
  const { removed, added } = unmatched(await tokensOf(catalogue, storeUuid), wanted.map(inFile), inFile)
  const differences: Difference[] = []
  for (const { tokenId, name, scopes } of removed) {
    await revokeToken(catalogue.db, tokenId)
    differences.push({ action: 'remove', kind: 'token', name, before: sorted(scopes) })
  }
  const made: { id: string; name: string; token: string }[] = []
  for (const { name, scopes } of added) {
    const { secret, token } = await createToken(catalogue.db, { name, scopes, stores: [storeUuid] })
    made.push({ id: token.tokenId, name, token: secret })
    differences.push({ action: 'add', kind: 'token', name, after: scopes })
  }
  return { differences, made }
}

/** Throws faults again in the words of the file. */
function named(rename: (details: string) => string) {
  return (error: unknown): never => {
    if (!(error instanceof CatalogueError)) throw error
    const faults = error.faults.map((fault) => ({ ...fault, details: rename(fault.details) }))
    throw new CatalogueError(error.code, faults, { setting: error.setting })
  }
}

async function tokensOf({ db }: Catalogue, storeUuid: string): Promise<Token[]> {
  const all = await listTokens(db, Number.MAX_SAFE_INTEGER)
  return all.filter(
    ({ stores, revokedAt, expiresAt }) => stores?.length === 1 && stores[0] === storeUuid && !revokedAt && !expiresAt,
  )
}

type Shown = Section<'requirements'>[string][number]

function shownRequirement({ code, kind, severity, ...others }: Requirement): Shown {
  const named = { code, kind: kind.toLowerCase() as Shown['kind'], ...withoutNulls(others) }
  return severity === 'REQUIRED' ? named : { ...named, severity: 'recommended' }
}

function stored({ kind, severity, ...rest }: Shown) {
  return {
    ...rest,
    kind: kind.toUpperCase() as Requirement['kind'],
    severity: severity?.toUpperCase() as Requirement['severity'] | undefined,
  }
}

function sorted(scopes: readonly Scope[]): Scope[] {
  return allScopes.filter((scope) => scopes.includes(scope))
}
