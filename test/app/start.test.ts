import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { useDatabase } from '../support/database/database.ts'
import { catalog, searchPath } from '../support/servers/program.ts'

const database = useDatabase()

/** Starts the gateway with a preloaded module, asks whether it is ready, ends it, and returns its stderr. */
async function saidAtStart(before: string): Promise<string> {
  const env = {
    PATH: searchPath,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(before)}`,
    LOG_LEVEL: 'silent',
    DATABASE_URL: database.url,
    PORT: '0',
    BOOTSTRAP_TOKEN: 'a-token-for-the-start',
  }
  const child = spawn(catalog, ['serve'], { env })
  const said = text(child.stderr)
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const url = `${/http:\/\/[^\s)]+/.exec(String(line))?.[0]}/ready`
  // On a busy machine the database may not answer the first one in time.
  await expect
    .poll(async () => (await fetch(url)).status)
    .toBe(200)
    .finally(() => child.kill('SIGTERM'))
  await once(child, 'exit')
  return said
}

/** What is loaded on demand or where it is configured: each would delay every start, and stay in memory. */
const later = [
  '@scalar/fastify-api-reference',
  '@graphql-yoga/render-graphiql',
  '@opentelemetry/api',
  '@opentelemetry/sdk-trace',
  'cockatiel',
  'csv-stringify',
  'graphql-jit',
  'jose',
  'pg-boss',
  'pg-copy-streams',
  'prom-client',
  'rate-limiter-flexible',
  'stream-json',
  'undici',
]

describe('a start', () => {
  it('loads nothing that the first answers do without', async () => {
    const said = await saidAtStart(`
      import { subscribe } from 'node:diagnostics_channel'
      import { registerHooks } from 'node:module'
      let hasAnswered = false
      subscribe('http.server.response.finish', () => { hasAnswered = true })
      registerHooks({ load: (url, context, next) => {
        if (!hasAnswered) process._rawDebug(url)
        return next(url, context)
      } })`)
    const modules = said.trim().split('\n')
    const packages = new Set(modules.map((url) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]))
    expect([...packages]).toEqual(expect.arrayContaining(['graphql', 'kysely', 'pg', 'zod']))
    expect(later.filter((name) => packages.has(name))).toEqual([])
    const own = ['src/import/import-file.ts', 'src/cli/commands/import.ts', 'src/filter-service/', 'rest/openapi/']
    expect(modules.filter((url) => own.some((name) => url.includes(name)))).toEqual([])
  })

  it('loads neither the type stripper nor the fetch of Node', async () => {
    const tellInternals = `process.on('exit', () => process._rawDebug(process.moduleLoadList.join('\\n')))`
    await saidAtStart(tellInternals) // what it compiles is kept for the next
    const internals = await saidAtStart(tellInternals)
    expect(internals).toContain('NativeModule http\n')
    expect(internals).not.toMatch(/NativeModule internal\/deps\/(amaro|undici)\//)
  })
})
