import { type Command, Option } from 'commander'

const clients = ['claude', 'cursor', 'vscode'] as const
type Client = (typeof clients)[number]

/** The variable that holds the token where the agent runs: a file that is shared names no secret. */
const variable = 'CATALOGUE_TOKEN'

export function addMcpConfig(program: Command): void {
  program
    .command('mcp-config')
    .description("print the configuration that connects an agent to the gateway's tools (POST /mcp)")
    .addOption(
      new Option('--client <client>', 'the program that runs the agent').choices(clients).makeOptionMandatory(),
    )
    .option('--url <url>', 'the URL of the gateway', 'http://127.0.0.1:4000')
    .action(({ client, url }: { client: Client; url: string }) => {
      process.stdout.write(`${JSON.stringify(configOf(client, new URL('/mcp', url).href), null, 2)}\n`)
    })
}

function configOf(client: Client, url: string): object {
  const server = (token: string) => ({ url, headers: { Authorization: `Bearer ${token}` } })
  if (client === 'claude') return { mcpServers: { catalogue: { type: 'http', ...server(`\${${variable}}`) } } }
  if (client === 'cursor') return { mcpServers: { catalogue: server(`\${env:${variable}}`) } }
  const input = { type: 'promptString', id: 'catalogue-token', description: 'Token of the catalogue', password: true }
  return { inputs: [input], servers: { catalogue: { type: 'http', ...server(`\${input:${input.id}}`) } } }
}
