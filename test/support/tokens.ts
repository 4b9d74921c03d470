import type { TestGateway } from './servers/gateway.ts'

/** What a test wants of a token; scopes in the words of GraphQL. */
export interface WantedToken {
  name?: string
  scopes: ('READ' | 'WRITE' | 'ADMIN')[]
  stores?: string[]
  expires?: string
  staleWhile?: string
}

export interface MadeToken {
  tokenId: string
  secret: string
}

/** Makes a token through the gateway's own API. */
export async function newToken(gateway: TestGateway, wanted: WantedToken): Promise<MadeToken> {
  const document = `mutation ($input: CreateTokenInput!) { createToken(input: $input) { secret token { tokenId } } }`
  const { createToken } = (await gateway.data(document, { input: { name: 'of a test', ...wanted } })) as unknown as {
    createToken: { secret: string; token: { tokenId: string } }
  }
  return { tokenId: createToken.token.tokenId, secret: createToken.secret }
}

export async function revoke(gateway: TestGateway, tokenId: string): Promise<void> {
  await gateway.data('mutation ($tokenId: ID!) { revokeToken(tokenId: $tokenId) { revokedAt } }', { tokenId })
}
