import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, it } from 'vitest'
import { runCli } from '../support/clients/cli.ts'
import { token, useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()

it.each(['claude', 'cursor', 'vscode'])('connects %s', async (name) => {
  const { stdout } = await runCli(['mcp-config', '--client', name, '--url', gateway.url], {})
  const { mcpServers, servers = mcpServers } = JSON.parse(stdout)
  const { url, headers } = servers.catalogue
  expect(headers.Authorization).toMatch(/^Bearer \$\{/)
  const sent = { Authorization: headers.Authorization.replace(/\$\{.*\}/, token) }
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: sent } }))
  expect((await client.listTools()).tools.length).toBeGreaterThan(5)
  await client.close()
})
