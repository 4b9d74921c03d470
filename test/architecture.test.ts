import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { GraphQLEnumType, GraphQLInputObjectType, GraphQLInterfaceType, GraphQLObjectType } from 'graphql'
import { describe, expect, it } from 'vitest'
import { schema } from '../schema/index.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** What each part may import besides packages and itself: the arrows of the architecture. A part is `schema`, `rest`, a folder or a file of `src`. */
const arrows: Record<string, string[]> = {
  rest: [],
  schema: ['src/catalog', 'src/context.ts', 'src/errors.ts'],
  'src/catalog': ['src/database', 'src/errors.ts'],
  // The configuration's type only.
  'src/database': ['src/config.ts'],
  'src/loaders.ts': ['src/catalog', 'src/database'],
  'src/context.ts': ['src/catalog', 'src/database', 'src/loaders.ts'],
  'src/auth': ['src/database'],
  'src/global-config': ['src/catalog'],
  'src/graphql': ['src/context.ts', 'src/database', 'src/errors.ts'],
  // The façade's plain requests and answers; the length of a request id in characters.
  'src/http': ['rest', 'src/catalog/text.ts'],
  'src/gateway.ts': [
    'rest',
    'schema',
    'src/auth',
    'src/context.ts',
    'src/database',
    'src/global-config',
    'src/graphql',
    'src/http',
  ],
  'src/demo': ['src/catalog', 'src/database'],
  'src/import': ['src/catalog', 'src/config.ts', 'src/database', 'src/errors.ts', 'src/global-config'],
  'src/export': ['src/catalog', 'src/database'],
  'src/serve.ts': ['src/auth', 'src/config.ts', 'src/database', 'src/demo', 'src/gateway.ts', 'src/global-config'],
  'src/cli': ['src/catalog', 'src/config.ts', 'src/database', 'src/export', 'src/import', 'src/log.ts', 'src/serve.ts'],
  'src/cli.ts': ['src/cli'],
  'src/main.ts': ['src/cli'],
  'src/config.ts': [],
  'src/errors.ts': [],
  'src/log.ts': [],
}

const files = ['schema', 'rest', 'src'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
)

describe('the source', () => {
  it('imports only along the arrows', () => {
    const strays = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => partOf(target) !== partOf(file))
        .filter(
          (target) =>
            !(arrows[partOf(file)] ?? []).some(
              (allowed) => target === allowed || target.startsWith(`${allowed}/`) || partOf(target) === allowed,
            ),
        )
        .map((target) => `${file} -> ${target}`),
    )
    expect(strays).toEqual([])
    expect([...new Set(files.map(partOf))].filter((part) => !(part in arrows))).toEqual([])
  })

  it('lets rest import nothing of ours but its own files, and the catalogue no GraphQL and no HTTP', () => {
    const packagesOf = (file: string) => [...sourceOf(file).matchAll(/from '([^.'][^']*)'/g)].map((match) => match[1])
    const catalogue = files.filter((file) => file.startsWith('src/catalog/')).flatMap(packagesOf)
    expect(catalogue.filter((name) => /graphql|pothos|http/.test(name ?? ''))).toEqual([])
    const schemaPackages = files.filter((file) => file.startsWith('schema/')).flatMap(packagesOf)
    expect(schemaPackages.filter((name) => /kysely|^pg$|http/.test(name ?? ''))).toEqual([])
  })

  it('has no file of more than 200 lines but tables', () => {
    const tables = ['rest/endpoints.ts', 'rest/operations.ts']
    const long = files.filter((file) => sourceOf(file).split('\n').length > 201)
    expect(long.filter((file) => !tables.includes(file))).toEqual([])
  })
})

describe('the schema', () => {
  it('describes every type, field, argument and value', () => {
    const bare: string[] = []
    const look = (name: string, { description }: { description?: string | null | undefined }) => {
      if (!description) bare.push(name)
    }
    for (const type of Object.values(schema.getTypeMap())) {
      if (type.name.startsWith('__')) continue
      look(type.name, type)
      if (type instanceof GraphQLEnumType)
        for (const value of type.getValues()) look(`${type.name}.${value.name}`, value)
      if (
        type instanceof GraphQLObjectType ||
        type instanceof GraphQLInterfaceType ||
        type instanceof GraphQLInputObjectType
      ) {
        for (const field of Object.values(type.getFields())) {
          look(`${type.name}.${field.name}`, field)
          if ('args' in field) for (const arg of field.args) look(`${type.name}.${field.name}(${arg.name})`, arg)
        }
      }
    }
    expect(bare).toEqual([])
  })
})

function sourceOf(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

function importsOf(file: string): string[] {
  const targets = [...sourceOf(file).matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) => match[1] ?? '')
  return targets.map((target) => relative(root, normalize(join(root, dirname(file), target))))
}

function partOf(file: string): string {
  const parts = file.split('/')
  return parts[0] === 'src' ? parts.slice(0, 2).join('/') : (parts[0] ?? '')
}
