import { readFile, writeFile } from 'node:fs/promises'
import { type CodegenConfig, generate } from '@graphql-codegen/cli'
import { lexicographicSortSchema, printSchema } from 'graphql'
import { endpoints } from './rest/endpoints.ts'
import { openApiDocument } from './rest/openapi/document.ts'
import { schema } from './schema/index.ts'
import { fallbackEnumerations } from './src/catalog/enumerations.ts'

/** Makes the generated files: `node codegen.ts` writes them, `node codegen.ts --check` fails when one is not current. */
const sdl = `${printSchema(lexicographicSortSchema(schema))}\n`

const plugins = ['typescript-operations', 'typed-document-node']
const documents: CodegenConfig = {
  schema: sdl,
  silent: true,
  config: {
    useTypeImports: true,
    enumsAsTypes: true,
    skipTypename: true,
    dedupeFragments: true,
    scalars: { ID: 'string', AttributeMap: 'Record<string, unknown>', DateTime: 'string' },
  },
  generates: {
    'rest/operations.ts': { documents: 'rest/operations.graphql', plugins },
    'examples/dashboard-operations.ts': { documents: 'examples/dashboard.graphql', plugins },
  },
}

const openApi = `${JSON.stringify(openApiDocument(endpoints, fallbackEnumerations), null, 2)}\n`

const files = [
  { filename: 'schema/schema.graphql', content: sdl },
  { filename: 'docs/openapi.json', content: openApi },
  ...(await generate(documents, false)),
]
const check = process.argv.includes('--check')
for (const { filename, content } of files) {
  if (!check) await writeFile(filename, content)
  else if ((await readFile(filename, 'utf8').catch(() => '')) !== content) {
    console.error(`${filename} is not current: run "npm run codegen"`)
    process.exitCode = 1
  }
}
