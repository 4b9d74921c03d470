import type { Caller } from './clients/caller.ts'
import { ask } from './clients/operations.ts'

/** What a test wants of a token; scopes in the words of GraphQL. */
export interface WantedToken {
  name?: string
  scopes: ('READ' | 'WRITE' | 'WEBHOOK' | 'ADMIN')[]
  stores?: string[]
  expires?: string
  staleWhile?: string
}

export interface MadeToken {
  tokenId: string
  secret: string
}

/** Makes a token through the gateway's own API. */
export async function newToken(gateway: Caller, wanted: WantedToken): Promise<MadeToken> {
  const args = { input: { name: 'of a test', ...wanted } }
  const { secret, token } = await ask<{ secret: string; token: { tokenId: string } }>(gateway, 'createToken', args)
  return { tokenId: token.tokenId, secret }
}

export async function revoke(gateway: Caller, tokenId: string): Promise<void> {
  await ask(gateway, 'revokeToken', { tokenId })
}
