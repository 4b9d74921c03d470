import type { Command } from 'commander'
import { createToken, listTokens, revokeToken, type Token } from '../../../auth/tokens.ts'
import { findStoreUuid } from '../../../catalogue/stores/stores.ts'
import { scopes } from '../../../request/caller.ts'
import { collect, jsonFlag, wideFlag } from '../../option-values.ts'
import { listOf, printResult, snakeCased } from '../../output.ts'
import { withDatabase } from '../../with-database.ts'

interface CreateOptions {
  name: string
  scope: string
  store: string[]
  expires?: string
  staleWhile?: string
  json: boolean
}

/** Tokens can be created before the gateway has run on a database for the first time. */
const beforeGateway = { migrates: true }

export function addToken(program: Command): void {
  const token = program.command('token').description('create, list and revoke bearer tokens')
  addCreate(token)
  addList(token)
  addRevoke(token)
}

function addCreate(token: Command): void {
  token
    .command('create')
    .description('create a token and print its secret, which is shown only once')
    .requiredOption('--name <name>', 'the name of the token')
    .option('--scope <scopes>', `permissions, separated by commas: ${scopes.join(',')}`, 'read,write')
    .option(
      '--store <store>',
      'a store that the token is limited to: its UUID or name (default: all stores); repeatable',
      collect,
      [],
    )
    .option('--expires <duration>', 'lifetime, such as 30d or 12h (default: no expiry)')
    .option(
      '--stale-while <age>',
      'maximum age of the data that it reads from replicas, such as 2s (default: never stale)',
    )
    .option(...jsonFlag)
    .action(async ({ scope, store, json, ...named }: CreateOptions) => {
      const made = await withDatabase(async ({ db }) => {
        const stores = await Promise.all(store.map((given) => findStoreUuid(db, given)))
        return createToken(db, { ...named, scopes: scope.split(','), stores: stores.length > 0 ? stores : null })
      }, beforeGateway)
      const { id, ...rest } = inJson(made.token)
      if (!json) process.stderr.write(`${id} ${made.token.name}: the token is shown only once\n`)
      printResult(json, { id, token: made.secret, ...rest }, made.secret)
    })
}

function addList(token: Command): void {
  token
    .command('list')
    .description('list all tokens, including revoked ones, without their secrets')
    .option(...wideFlag)
    .option(...jsonFlag)
    .action(async ({ wide, json }: { wide: boolean; json: boolean }) => {
      const all = await withDatabase(({ db }) => listTokens(db, Number.MAX_SAFE_INTEGER), beforeGateway)
      const rows = all.map((one) => [
        ...[one.tokenId, stateOf(one), one.scopes.join(), one.stores?.join() ?? 'all'],
        ...[one.expiresAt, one.lastUsedAt].map((time) => time?.toISOString() ?? 'never'),
        one.name,
      ])
      const columns = wide ? undefined : ['ID', 'STATE', 'SCOPES', 'NAME']
      const head = ['ID', 'STATE', 'SCOPES', 'STORES', 'EXPIRES', 'LAST USED', 'NAME']
      printResult(json, { tokens: all.map(inJson) }, listOf(head, rows, columns))
    })
}

function addRevoke(token: Command): void {
  token
    .command('revoke')
    .description('revoke a token permanently; every gateway refuses it within 5 seconds')
    .argument('<id>', 'the id of the token, as `catalog token list` shows it')
    .option(...jsonFlag)
    .action(async (id: string, { json }: { json: boolean }) => {
      const revoked = await withDatabase(({ db }) => revokeToken(db, id), beforeGateway)
      if (!json)
        process.stderr.write(revoked ? `revoked ${revoked.name}\n` : `there is no token ${JSON.stringify(id)}\n`)
      printResult(json, { id, revoked: revoked !== undefined }, '')
      if (!revoked) process.exitCode = 1
    })
}

function inJson({ tokenId: id, ...token }: Token) {
  return { id, ...snakeCased(token) }
}

function stateOf({ revokedAt, expiresAt }: Token): string {
  if (revokedAt) return 'revoked'
  return expiresAt && expiresAt.getTime() <= Date.now() ? 'expired' : 'valid'
}
