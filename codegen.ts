import { readFile, writeFile } from 'node:fs/promises'
import { type CodegenConfig, generate } from '@graphql-codegen/cli'
import { lexicographicSortSchema, printSchema } from 'graphql'
import { schema } from './schema/index.ts'
import { fallbackEnumerations } from './src/catalogue/enumerations.ts'
import { ownVersion } from './src/database/version.ts'

/**
 * Makes the generated files: `node codegen.ts` writes them, `node codegen.ts --check` fails when one is not current.
 */
const sdl = `${printSchema(lexicographicSortSchema(schema))}\n`

const scalars = { ID: 'string', URL: 'string', AttributeMap: 'Record<string, unknown>', DateTime: 'string' }
const plugins = ['typescript-operations', 'typed-document-node']
const documents: CodegenConfig = {
  schema: sdl,
  silent: true,
  config: {
    useTypeImports: true,
    enumsAsTypes: true,
    skipTypename: true,
    dedupeFragments: true,
    scalars,
  },
  generates: {
    'rest/operations.generated.ts': { documents: 'rest/operations.graphql', plugins },
    'examples/dashboard-operations.ts': { documents: 'examples/dashboard.graphql', plugins },
  },
}

const check = process.argv.includes('--check')
await make([{ filename: 'schema/schema.graphql', content: sdl }, ...(await generate(documents, false))])
// The endpoints import the operations, so they come after them.
const { endpoints } = await import('./rest/endpoints.ts')
const { openApiDocument } = await import('./rest/openapi/document.ts')
const openApi = `${JSON.stringify(openApiDocument(endpoints, fallbackEnumerations, ownVersion()), null, 2)}\n`
await make([{ filename: 'docs/openapi.json', content: openApi }])

async function make(files: readonly { filename: string; content: string }[]): Promise<void> {
  for (const { filename, content } of files) {
    if (!check) await writeFile(filename, content)
    else if ((await readFile(filename, 'utf8').catch(() => '')) !== content) {
      console.error(`${filename} is not current: run "npm run codegen"`)
      process.exitCode = 1
    }
  }
}
