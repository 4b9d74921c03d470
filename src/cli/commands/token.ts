import type { Command } from 'commander'
import { scopes } from '../../auth/caller.ts'
import { createToken, listTokens, revokeToken, type Token } from '../../auth/tokens.ts'
import { migrate } from '../../database/migrate.ts'
import { CatalogueError } from '../../errors.ts'
import { findStoreUuid } from '../find-store.ts'
import { collect } from '../option-values.ts'
import { tableOf } from '../table.ts'
import { type Work, withDatabase } from '../with-database.ts'

interface CreateOptions {
  name: string
  scope: string
  store: string[]
  expires?: string
  staleWhile?: string
  json: boolean
}

export function addToken(program: Command): void {
  const token = program.command('token').description('make, list and revoke bearer tokens')
  addCreate(token)
  addList(token)
  addRevoke(token)
}

function addCreate(token: Command): void {
  token
    .command('create')
    .description('make a token and print it, the only time that it can be seen')
    .requiredOption('--name <name>', 'the name of the token')
    .option('--scope <scopes>', `what it permits: some of ${scopes.join(',')}`, 'read,write')
    .option(
      '--store <store>',
      'a store that it is limited to: its UUID or name (default: every store); repeatable',
      collect,
      [],
    )
    .option('--expires <duration>', 'how long it is valid, such as 30d or 12h (default: for ever)')
    .option(
      '--stale-while <age>',
      'how old its reads may be, such as 2s: they may go to replicas (default: never stale)',
    )
    .option('--json', 'print one JSON object on stdout', false)
    .action(async ({ scope, store, json, ...named }: CreateOptions, command: Command) => {
      const made = await withTables(async ({ db }) => {
        const stores = await Promise.all(store.map((given) => findStoreUuid(db, given)))
        return createToken(db, { ...named, scopes: scope.split(','), stores: stores.length > 0 ? stores : null })
      }).catch((error: unknown) => {
        if (error instanceof CatalogueError) command.error(`error: ${error.message}`, { exitCode: 2 })
        throw error
      })
      const { id, ...rest } = inJson(made.token)
      if (json) return print({ id, token: made.secret, ...rest })
      process.stderr.write(`${id} ${rest.name}: shown this once\n`)
      process.stdout.write(`${made.secret}\n`)
    })
}

function addList(token: Command): void {
  token
    .command('list')
    .description('list all tokens, revoked ones too, without their secrets')
    .option('--json', 'print one JSON object on stdout', false)
    .action(async ({ json }: { json: boolean }) => {
      const all = await withTables(({ db }) => listTokens(db, Number.MAX_SAFE_INTEGER))
      const rows = all.map(inJson)
      if (json) return print({ tokens: rows })
      const cells = rows.map((row) => [
        ...[row.id, stateOf(row), row.scopes.join(), row.stores?.join() ?? 'all'],
        ...[row.expires_at, row.last_used_at].map((time) => time?.toISOString() ?? 'never'),
        row.name,
      ])
      process.stdout.write(tableOf([['ID', 'STATE', 'SCOPES', 'STORES', 'EXPIRES', 'LAST USED', 'NAME'], ...cells]))
    })
}

function addRevoke(token: Command): void {
  token
    .command('revoke')
    .description('revoke a token for good; every gateway refuses it within 5 seconds')
    .argument('<id>', 'the id of the token, as `catalog token list` shows it')
    .option('--json', 'print one JSON object on stdout', false)
    .action(async (id: string, { json }: { json: boolean }) => {
      const revoked = await withTables(({ db }) => revokeToken(db, id))
      if (json) print({ id, revoked: revoked !== undefined })
      else process.stderr.write(revoked ? `revoked ${revoked.name}\n` : `there is no token ${JSON.stringify(id)}\n`)
      if (!revoked) process.exitCode = 1
    })
}

/** Tokens can be made before the gateway has run on a database for the first time. */
function withTables<T>(work: (work: Work) => Promise<T>): Promise<T> {
  return withDatabase(async (tools) => {
    await migrate(tools.db)
    return work(tools)
  })
}

function print(answer: object): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}

function inJson({ tokenId, name, scopes, stores, staleWhile, createdAt, expiresAt, revokedAt, lastUsedAt }: Token) {
  const times = { created_at: createdAt, expires_at: expiresAt, revoked_at: revokedAt, last_used_at: lastUsedAt }
  return { id: tokenId, name, scopes, stores, stale_while: staleWhile, ...times }
}

function stateOf({ revoked_at, expires_at }: ReturnType<typeof inJson>): string {
  if (revoked_at) return 'revoked'
  return expires_at && expires_at.getTime() <= Date.now() ? 'expired' : 'valid'
}
