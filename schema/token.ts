import type { Scope } from '../src/auth/caller.ts'
import { createToken, listTokens, revokeToken, type Token } from '../src/auth/tokens.ts'
import { write } from '../src/catalog/write.ts'
import { builder } from './builder.ts'
import { dryRunArg, uuid } from './validation.ts'

const TokenScope = builder.enumType('TokenScope', {
  description: 'What a token is good for.',
  values: {
    READ: { value: 'read', description: 'Queries, and GET over REST.' },
    WRITE: { value: 'write', description: 'Mutations, and every other method over REST.' },
    ADMIN: { value: 'admin', description: 'Everything, tokens included.' },
  } satisfies Record<string, { value: Scope; description: string }>,
})

const TokenRef = builder.objectRef<Token>('Token').implement({
  description: 'A bearer token. Its secret is not kept, only a hash of it.',
  fields: (t) => ({
    tokenId: t.exposeID('tokenId', { description: 'The UUID to revoke it by; no secret.' }),
    name: t.exposeString('name', { description: 'What it is called.' }),
    scopes: t.expose('scopes', { type: [TokenScope], description: 'What it is good for.' }),
    stores: t.exposeIDList('stores', {
      nullable: true,
      description: 'The stores that it is limited to: no other is there for it. null: every store.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: 'When it ends; null: never.' }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was revoked, if it was.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last used, to the minute; null: never.',
    }),
  }),
})

const NewTokenRef = builder.objectRef<{ secret: string; token: Token }>('NewToken').implement({
  description: 'A token that was just made.',
  fields: (t) => ({
    secret: t.exposeString('secret', {
      description: 'The token itself, to be sent as a bearer token. It is shown this once.',
    }),
    token: t.field({ type: TokenRef, description: 'What it is.', resolve: ({ token }) => token }),
  }),
})

builder.queryField('tokens', (t) =>
  t.field({
    type: [TokenRef],
    description: 'The tokens that were ever made, in the order of their making. Needs the scope `admin`.',
    args: {
      first: t.arg.int({
        defaultValue: 100,
        description: 'How many: at most 1,000.',
        validate: { min: 0, max: 1_000 },
      }),
      after: t.arg.id({ description: 'Only those after the token of this id.', validate: uuid }),
    },
    extensions: { access: 'admin' },
    complexity: ({ first }) => ({ field: 1, multiplier: first ?? 100 }),
    resolve: (_root, { first, after }, { db }) => listTokens(db, { after: after ?? undefined, limit: first ?? 100 }),
  }),
)

const CreateTokenInput = builder.inputType('CreateTokenInput', {
  description: 'A token to make.',
  fields: (t) => ({
    name: t.string({ required: true, description: '1 to 200 characters after trimming.' }),
    scopes: t.field({ type: [TokenScope], required: true, description: 'At least one.' }),
    stores: t.idList({
      description:
        'The only stores that shall be there for it, 1 to 1,000; left out: every store. Not together with `ADMIN`.',
      validate: { maxLength: 1_000 },
    }),
    expires: t.string({ description: 'A duration such as `30d`, `12h` or `45m`; left out: it does not expire.' }),
  }),
})

builder.mutationFields((t) => ({
  createToken: t.field({
    type: NewTokenRef,
    description:
      'Makes a token. Needs the scope `admin`. Errors: `invalid_request` with every fault, `store_not_found`.',
    args: {
      input: t.arg({ type: CreateTokenInput, required: true, description: 'The token to make.' }),
      dryRun: t.arg.boolean(dryRunArg),
    },
    extensions: { access: 'admin' },
    resolve: (_root, { input, dryRun }, { db }) => write(db, dryRun === true, (work) => createToken(work, input)),
  }),
  revokeToken: t.field({
    type: TokenRef,
    nullable: true,
    description:
      'Revokes a token for good: every instance refuses it within 5 seconds. null when there is no token of this id. Needs the scope `admin`.',
    args: {
      tokenId: t.arg.id({ required: true, description: 'The token.' }),
      dryRun: t.arg.boolean(dryRunArg),
    },
    extensions: { access: 'admin' },
    resolve: (_root, { tokenId, dryRun }, { db }) => write(db, dryRun === true, (work) => revokeToken(work, tokenId)),
  }),
}))
