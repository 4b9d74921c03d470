import type { Command } from 'commander'
import { scopes } from '../auth/caller.ts'
import { createToken, listTokens, revokeToken, type Token } from '../auth/tokens.ts'
import { migrate } from '../database/migrate.ts'
import { CatalogueError } from '../errors.ts'
import type { CommandContext } from './program.ts'
import { withDatabase } from './with-database.ts'

interface CreateOptions {
  name: string
  scope: string
  store: string[]
  expires?: string
  json: boolean
}

/** `catalog token`: makes, lists and revokes bearer tokens, whether the gateway is running or not. */
export function addToken(program: Command, context: CommandContext): void {
  const token = program.command('token').description('make, list and revoke bearer tokens')
  addCreate(token, context)
  addList(token, context)
  addRevoke(token, context)
}

function addCreate(token: Command, { env }: CommandContext): void {
  token
    .command('create')
    .description('make a token and print it, the only time that it can be seen')
    .requiredOption('--name <name>', 'what it is called')
    .option('--scope <scopes>', `what it is good for: some of ${scopes.join(',')}`, 'read,write')
    .option('--store <uuid>', 'a store that it is limited to (default: every store); repeatable', collect, [])
    .option('--expires <duration>', 'how long it is good, such as 30d or 12h (default: for ever)')
    .option('--json', 'print one JSON object on stdout', false)
    .action(async ({ name, scope, store, expires, json }: CreateOptions, command: Command) => {
      const wanted = { name, scopes: scope.split(','), stores: store.length > 0 ? store : null, expires }
      const made = await withDatabase(env, async ({ db }) => {
        await migrate(db)
        return createToken(db, wanted)
      }).catch((error: unknown) => {
        if (error instanceof CatalogueError) command.error(`error: ${error.message}`, { exitCode: 2 })
        throw error
      })
      const { id, ...rest } = inJson(made.token)
      if (json) process.stdout.write(`${JSON.stringify({ id, token: made.secret, ...rest })}\n`)
      else {
        process.stderr.write(`${id} ${rest.name}: shown this once\n`)
        process.stdout.write(`${made.secret}\n`)
      }
    })
}

function addList(token: Command, { env }: CommandContext): void {
  token
    .command('list')
    .description('list the tokens that were ever made, without their secrets')
    .option('--json', 'print one JSON object on stdout', false)
    .action(async ({ json }: { json: boolean }) => {
      const tokens = await withDatabase(env, async ({ db }) => {
        await migrate(db)
        const all: Token[] = []
        for (
          let page = await listTokens(db);
          page.length > 0;
          page = await listTokens(db, { after: all.at(-1)?.tokenId })
        )
          all.push(...page)
        return all.map(inJson)
      })
      const lines = tokens.map((row) => `${row.id}  ${stateOf(row)}  ${row.scopes.join(',')}  ${row.name}\n`)
      process.stdout.write(json ? `${JSON.stringify({ tokens })}\n` : lines.join(''))
    })
}

function addRevoke(token: Command, { env, end }: CommandContext): void {
  token
    .command('revoke')
    .description('revoke a token for good; every gateway refuses it within 5 seconds')
    .argument('<id>', 'the id of the token, as `catalog token list` shows it')
    .option('--json', 'print one JSON object on stdout', false)
    .action(async (id: string, { json }: { json: boolean }) => {
      const revoked = await withDatabase(env, async ({ db }) => {
        await migrate(db)
        return revokeToken(db, id)
      })
      if (json) process.stdout.write(`${JSON.stringify({ id, revoked: revoked !== undefined })}\n`)
      else process.stderr.write(revoked ? `revoked ${revoked.name}\n` : `there is no token ${JSON.stringify(id)}\n`)
      if (!revoked) end(1)
    })
}

function inJson({ tokenId, name, scopes, stores, createdAt, expiresAt, revokedAt, lastUsedAt }: Token) {
  return {
    id: tokenId,
    name,
    scopes,
    stores,
    created_at: createdAt,
    expires_at: expiresAt,
    revoked_at: revokedAt,
    last_used_at: lastUsedAt,
  }
}

function stateOf({ revoked_at, expires_at }: ReturnType<typeof inJson>): string {
  if (revoked_at) return 'revoked'
  if (expires_at && expires_at.getTime() <= Date.now()) return 'expired'
  return 'good   '
}

function collect(value: string, before: string[]): string[] {
  return [...before, value]
}
