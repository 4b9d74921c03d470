import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Server, startServer } from './servers.ts'

const port = 5679

const config = `import { PostGraphileConnectionFilterPreset } from 'postgraphile-plugin-connection-filter'
import { makePgService } from 'postgraphile/adaptors/pg'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'
import { jsonPgSmartTags } from 'postgraphile/utils'
// Filters also by columns without an index, and by JSON.
const tags = { class: { product: { attribute: { attributes: { tags: { behavior: '+attribute:filterBy' } } } } } }
export default {
  extends: [PostGraphileAmberPreset, PostGraphileConnectionFilterPreset],
  plugins: [jsonPgSmartTags({ version: 1, config: tags })],
  disablePlugins: ['PgIndexBehaviorsPlugin'],
  pgServices: [makePgService({ connectionString: process.env.DATABASE_URL, schemas: ['public'] })],
  grafserv: { host: '127.0.0.1', port: ${port}, graphiql: false },
}
`

/** Starts PostGraphile 5 with its plugin for filters, which `npm install` has put into a directory of their own. */
export async function startPostGraphile(folder: string, url: string): Promise<Server> {
  const file = join(folder, 'catalogue-bench.config.mjs')
  await writeFile(file, config)
  const program = join(folder, 'node_modules/postgraphile/dist/cli-run.js')
  // It warns of tables that it does not understand.
  const quietly = ['/bin/sh', '-c', 'exec "$0" "$@" 2>/dev/null', process.execPath, program, '-C', file]
  return startServer(quietly, { DATABASE_URL: url, GRAPHILE_ENV: 'production' })
}
