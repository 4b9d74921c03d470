import { type Contender, compare, graphql, rest } from './reads.ts'
import { startServer } from './servers.ts'

/**
 * One process compared with two workers at one port. PostgreSQL and the load generator use the same cores, which limits
 * reads of the catalogue; introspection needs no PostgreSQL. CPU seconds are those of all processes of the gateway.
 */
export async function workers(
  program: readonly string[],
  env: Record<string, string>,
  options: { connections: number; rounds: number; seconds: number },
): Promise<string> {
  await using one = await startServer(program, env)
  await using two = await startServer([...program, '--workers', '2'], env)
  const asked: [string, (name: string, server: typeof one) => Contender][] = [
    ['introspection', introspection],
    ['POST /graphql', graphql],
    ['GET /v1/assets, unchanged', rest],
  ]
  const tables: string[] = []
  for (const [title, ask] of asked) {
    tables.push(await compare(title, [ask('1 process', one), ask('2 workers', two)], options, ['p50', 'p99', 'cpu']))
  }
  return tables.join('\n\n')
}

function introspection(name: string, server: Contender['server']): Contender {
  const { target } = graphql(name, server)
  const query = '{ __schema { types { kind fields { args { defaultValue } } } } }'
  return { name, server, target: { ...target, body: JSON.stringify({ query }) } }
}
