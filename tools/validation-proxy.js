import { createRequire } from 'node:module'

// Prism's own modules are CommonJS without named exports that Node could find.
const require = createRequire(import.meta.url)
const { createServer } = require('@stoplight/prism-http-server')
const { getHttpOperationsFromSpec } = require('@stoplight/prism-http')

const silent = {
  info() {},
  warn() {},
  error() {},
  debug() {},
  success() {},
  fatal() {},
  trace() {},
  child: () => silent,
}

/** Starts Prism as a validation proxy before `upstream`. Its answers have a header `sl-violations` for what breaks the document. */
export async function startValidationProxy(document, upstream) {
  const operations = await getHttpOperationsFromSpec({ ...document, servers: [{ url: `${upstream}/v1` }] })
  const config = {
    isProxy: true,
    checkSecurity: false,
    validateRequest: true,
    validateResponse: true,
    errors: false,
    mock: { dynamic: false },
    upstream: new URL(`${upstream}/v1`),
  }
  const server = createServer(operations, { cors: false, config, components: { logger: silent } })
  const url = await server.listen(0, '127.0.0.1')
  return { url, close: () => server.close() }
}
