import { z } from 'zod'
import { createToken, findTokens, listTokens, revokeToken, type Token } from '../src/auth/tokens.ts'
import { partOfResult } from '../src/graphql/access.ts'
import { hasScope, type Scope } from '../src/request/caller.ts'
import { isUuid } from '../src/text.ts'
import { dryRunArgs, resolveWrite } from './builder/arguments.ts'
import { builder } from './builder/builder.ts'
import { catalogueText, nullable, nullableTime, required, requiredLookup } from './builder/options.ts'
import { enumOf } from './enumerations.ts'

const TokenScope = enumOf<Scope>('TokenScope', 'Permission of a token.', {
  read: 'GraphQL queries, and GET in REST.',
  write:
    'GraphQL mutations, and every other method in REST, but for webhooks. Data that a mutation returns besides its own result also needs `READ`.',
  webhook: 'Webhooks, together with `READ`.',
  admin: 'All operations, including the administration of tokens.',
})

const TokenRef = builder.objectRef<Token>('Token')

builder.node(TokenRef, {
  id: { resolve: ({ tokenId }) => tokenId },
  loadManyWithoutCache: async (tokenIds, { caller, catalogue }) => {
    const tokens = hasScope(caller, 'admin') ? await findTokens(catalogue.db, tokenIds) : undefined
    return tokenIds.map((tokenId) => tokens?.get(tokenId))
  },
  extensions: partOfResult,
  description: 'A bearer token. The gateway stores only a hash of its secret.',
  fields: (t) => ({
    tokenId: t.exposeID('tokenId', { description: 'UUID of the token, for `revokeToken`. Not secret.' }),
    name: t.exposeString('name', { description: 'Name of the token.' }),
    scopes: t.expose('scopes', { type: [TokenScope], description: 'Permissions of the token.' }),
    stores: t.exposeIDList(
      'stores',
      nullable('UUIDs of the stores that the token is limited to: it has no access to other stores. Null: all stores.'),
    ),
    staleWhile: t.exposeString(
      'staleWhile',
      nullable(
        'Maximum age of the data that its queries read from replicas. `Prefer: stale-while` of a request replaces it. Null: never stale.',
      ),
    ),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    expiresAt: t.expose('expiresAt', nullableTime('Time of expiry; null: never.')),
    revokedAt: t.expose('revokedAt', nullableTime('Time of revocation; null: not revoked.')),
    lastUsedAt: t.expose('lastUsedAt', nullableTime('Time of the last use, to the minute; null: never used.')),
  }),
})

const NewTokenRef = builder.objectRef<{ secret: string; token: Token }>('NewToken').implement({
  description: 'A token that has just been created, with its secret.',
  fields: (t) => ({
    secret: t.exposeString('secret', {
      description: 'Secret to send as `Authorization: Bearer`. It is returned only once.',
    }),
    token: t.expose('token', { type: TokenRef, description: 'The token, without its secret.' }),
  }),
})

const uuid = { schema: z.string().refine((text) => isUuid(text), { error: 'must be a UUID' }) }

builder.queryField('tokens', (t) =>
  t.field({
    type: [TokenRef],
    description:
      'All tokens, revoked and expired ones included, in the order of their creation; a list without a connection. Needs the scope `admin`.',
    args: {
      first: t.arg.int({ defaultValue: 100, description: 'Page size: 0 to 1,000.', validate: { min: 0, max: 1_000 } }),
      after: t.arg.id({ description: 'Only tokens after the token with this id.', validate: uuid }),
    },
    extensions: { access: 'admin' },
    complexity: ({ first }) => ({ field: 1, multiplier: first ?? 100 }),
    resolve: (_root, { first, after }, { catalogue }) => listTokens(catalogue.db, first ?? 100, after),
  }),
)

const CreateTokenInput = builder.inputType('CreateTokenInput', {
  ...catalogueText,
  description: 'A token to create.',
  fields: (t) => ({
    name: t.string(required('Name: 1 to 200 characters after trimming.')),
    scopes: t.field({ type: [TokenScope], required: true, description: 'Permissions: at least one.' }),
    stores: t.idList({
      description:
        'UUIDs of the stores to limit the token to: 1 to 1,000. Default: all stores. Not together with `ADMIN`.',
      validate: { maxLength: 1_000 },
    }),
    expires: t.string({ description: 'Lifetime as a duration, such as `30d`, `12h` or `45m`. Default: no expiry.' }),
    staleWhile: t.string({
      description:
        'Maximum age of the data that its queries read from replicas: `0s` to `60s`, such as `2s` or `500ms`. Default: never stale.',
    }),
  }),
})

builder.mutationFields((t) => ({
  createToken: t.field({
    type: NewTokenRef,
    description:
      'Creates a token. Needs the scope `admin`. Errors: `invalid_request` (one entry per fault), `store_not_found`.',
    args: { input: t.arg({ type: CreateTokenInput, required: true, description: 'Token to create.' }), ...dryRunArgs },
    extensions: { access: 'admin' },
    resolve: resolveWrite(
      (catalogue, { input }) => createToken(catalogue.db, input),
      () => 1,
    ),
  }),
  revokeToken: t.field({
    type: TokenRef,
    nullable: true,
    description:
      'Revokes a token permanently; every instance refuses it within 5 seconds. Null when there is no token with this id. Needs the scope `admin`.',
    args: { tokenId: t.arg.id(requiredLookup('UUID of the token.')), ...dryRunArgs },
    extensions: { access: 'admin' },
    resolve: resolveWrite(
      (catalogue, { tokenId }) => revokeToken(catalogue.db, tokenId),
      (token) => (token ? 1 : 0),
    ),
  }),
}))
