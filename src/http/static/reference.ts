import { fixedPage, type Page } from './page.ts'

/** The part of Fastify's interface that the plugin of Scalar uses. */
interface Route {
  url: string
  handler(request: unknown, reply: Reply): unknown
}
interface Reply {
  header(): Reply
  send(content: string): Page
}
type Plugin = (server: { route(route: Route): void }, options: object, done: () => void) => void

/**
 * The script of Scalar, which renders the reference. Only the plugin for Fastify has it without the 270 packages of its
 * sources; the plugin serves it by a route.
 */
export async function scalarScript(headers: Record<string, string>): Promise<Page> {
  const plugin = (await import('@scalar/fastify-api-reference')).default as unknown as Plugin
  const routes: Route[] = []
  plugin({ route: (route) => routes.push(route) }, { configuration: { url: '/v1/openapi.json' } }, () => {})
  const script = routes.find(({ url }) => url.endsWith('.js'))
  if (!script) throw new Error('@scalar/fastify-api-reference serves no script')
  const reply: Reply = {
    header: () => reply,
    send: (text) => fixedPage('text/javascript; charset=utf-8', text, headers),
  }
  return script.handler({}, reply) as Page
}
