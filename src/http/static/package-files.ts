const graphiql = () => import('@graphql-yoga/render-graphiql/graphiql')

/** The scripts and styles of GraphiQL and Scalar, by their names under `/static/`. Packages have them as strings. */
export const packageFiles: Readonly<Record<string, () => Promise<string>>> = {
  'graphiql.css': async () => (await graphiql()).css,
  'graphiql.js': async () => (await graphiql()).js,
  'editor-worker.js': async () => (await graphiql()).editorWorkerService,
  'json-worker.js': async () => (await graphiql()).jsonWorker,
  // Otherwise the worker takes no object for an unknown scalar such as `AttributeMap`; no option reaches it.
  'graphql-worker.js': async () => (await graphiql()).graphqlWorker.replace(unknownScalar, 'definition.title = ""'),
  'scalar.js': scalarScript,
}

const unknownScalar = 'definition.type = ["string", "number", "boolean", "integer"]'

/** Only the plugin for Fastify has the script without the 270 packages of its sources, and only as a route. */
async function scalarScript(): Promise<string> {
  const { default: plugin } = await import('@scalar/fastify-api-reference')
  const sent: string[] = []
  const reply = { header: () => reply, send: (text: string) => sent.push(text) }
  const route = ({ url, handler }: { url: string; handler(request: object, to: typeof reply): void }) =>
    url.endsWith('.js') && handler({}, reply)
  const register = plugin as unknown as (server: object, options: object, done: () => void) => void
  register({ route }, { configuration: { url: '/v1/openapi.json' } }, () => {})
  return sent.join('')
}
