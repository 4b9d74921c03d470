import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type ASTNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  parse,
  print,
  printSchema,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { schema } from '../schema/index.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * What each part may import besides packages and itself, and what for: the arrows of the architecture. A part is `schema`, `rest`, a folder or a
 * file of `src`.
 */
const arrows: Record<string, Record<string, string>> = {
  'src/loggable-error.ts': {},
  'src/allowance.ts': { 'src/errors.ts': 'why a read is given up', 'src/request-scope.ts': 'whose allowance it is' },
  'src/answer-limit.ts': {
    rest: 'how its refusals look',
    'src/doors.ts': 'what answers',
    'src/http': 'how refusals of GraphQL look',
    'src/request-scope.ts': 'whether it is a write',
  },
  rest: {},
  schema: {
    'src/catalog': 'the work',
    'src/auth': 'tokens',
    'src/context.ts': 'what a resolver has at hand',
    'src/errors.ts': 'faults of arguments',
    'src/jobs': 'work in the background',
    'src/allowance.ts': 'what a field works on',
  },
  'src/catalog': {
    'src/database': 'tables',
    'src/errors.ts': 'expected failures',
    'src/allowance.ts': 'what patterns cost',
  },
  'src/database': {
    'src/config.ts': 'the type of the configuration',
    'src/request-scope.ts': 'whose statement it is',
    'src/allowance.ts': 'how much a request may read',
    'src/errors.ts': 'why a read is refused',
  },
  'src/loaders.ts': { 'src/catalog': 'relations' },
  'src/context.ts': {
    'src/auth': 'whoever asks',
    'src/catalog': 'enumerations',
    'src/loaders.ts': 'relations',
  },
  'src/auth': {
    'src/request-scope.ts': 'work that is shared by requests',
    'src/catalog': 'which stores are there for a token',
    'src/database': 'the table of tokens',
    'src/errors.ts': 'expected failures',
  },
  'src/global-config': { 'src/catalog': 'enumerations' },
  'src/graphql': {
    'src/loggable-error.ts': 'what the log may have',
    'src/auth': 'what a token may do',
    'src/request-scope.ts': 'where the name of the operation is noted',
    'src/context.ts': 'what documents run in',
    'src/once.ts': 'the compiler is loaded when it is needed',
    'src/database': 'whether it is unavailable',
    'src/errors.ts': 'expected failures',
  },
  'src/filter': {
    'src/loggable-error.ts': 'what the log may have',
    'src/catalog': 'the filter that it is, and the groups that the service chooses from',
    'src/database': 'tables',
    'src/errors.ts': 'that the downstream is unavailable',
    'src/request-scope.ts': 'whose request it is',
  },
  'src/idempotency': { 'src/database': 'the table of kept answers', 'src/errors.ts': 'a key used for something else' },
  'src/http': {
    'src/tracing': 'begins with the request',
    'src/request-scope.ts': 'begins with the request',
    rest: "the façade's plain requests and answers",
    'src/catalog/text.ts': 'characters of a request id',
  },
  'src/metrics': { 'src/global-config': 'its state', 'src/once.ts': 'the registry is made when it is read' },
  'src/tracing': { 'src/request-scope.ts': 'whose spans they are' },
  'src/note-request.ts': { rest: 'the table of endpoints', 'src/request-scope.ts': 'where it is noted' },
  'src/request-log.ts': { 'src/request-scope.ts': 'what a line tells' },
  'src/pages': { 'src/http/page.ts': 'what a page is', 'src/once.ts': 'pages are made when they are asked for' },
  'src/doors.ts': {
    'src/known-large.ts': 'what to hand over at once',
    'src/request-scope.ts': 'how much a read may work on here',
    'src/once.ts': 'what is loaded when it is asked for',
    rest: 'the façade',
    schema: 'the API',
    'src/auth': 'whoever asks',
    'src/catalog': 'what a viewer sees',
    'src/context.ts': 'one for each request',
    'src/database': 'tables',
    'src/graphql': 'what runs documents',
    'src/http': 'plain requests and answers of GraphQL',
    'src/idempotency': 'keyed writes',
    'src/tracing': 'the spans of requests',
  },
  'src/heavy': {
    rest: 'how much is in a body',
    'src/auth': 'whoever asks',
    'src/catalog': 'enumerations, and the filter',
    'src/database': 'connections of its own, and turns',
    'src/doors.ts': 'what it serves',
    'src/errors.ts': 'that it is unavailable',
    'src/graphql': 'how its documents are guarded',
    'src/request-scope.ts': 'whose work it is',
    'src/tracing': 'the spans of requests',
  },
  'src/gateway.ts': {
    'src/answer-limit.ts': 'the end of what is answered',
    'src/loggable-error.ts': 'what the log may have',
    'src/gateway-options.ts': 'what it is made of',
    rest: 'the table of endpoints, and its errors',
    'src/auth': 'tokens',
    'src/database': 'tables',
    'src/doors.ts': 'what stands behind HTTP',
    'src/filter': 'the remote filter',
    'src/heavy': 'the thread of heavy requests',
    'src/http': 'the server',
    'src/jobs': 'work in the background',
    'src/idempotency': 'keyed writes',
    'src/once.ts': 'what is loaded when it is asked for',
    'src/ready.ts': 'whether it is ready',
    'src/metrics': 'the figures of the service',
    'src/note-request.ts': 'whose request it is, and for what',
    'src/request-log.ts': 'the line of a request',
    'src/tracing': 'the spans of requests',
    'src/pages': 'what people read',
  },
  'src/gateway-options.ts': {
    'src/auth': 'the provider of tokens',
    'src/database': 'tables',
    'src/filter': 'a remote one',
    'src/global-config': 'enumerations in force',
    'src/graphql': 'documents that are kept',
    'src/metrics': 'those of other processes',
    'src/tracing': 'the spans of requests',
  },
  'src/persisted-documents-file.ts': {
    'src/config.ts': 'where the file is',
    'src/graphql': 'what the documents are for',
  },
  'src/prepare.ts': {
    'src/auth': 'the first token',
    'src/catalog': 'the whole of it',
    'src/config.ts': 'the configuration',
    'src/database': 'what is brought up to date',
    'src/demo': 'a first catalogue',
    'src/global-config': 'enumerations in force',
  },
  'src/run-gateway.ts': {
    'src/config.ts': 'the configuration',
    'src/database': 'tables',
    'src/filter': 'the remote filter',
    'src/gateway.ts': 'what is run',
    'src/global-config': 'enumerations in force',
    'src/metrics': 'those of other processes',
    'src/persisted-documents-file.ts': 'documents that are kept',
    'src/tracing': 'the spans of requests',
  },
  'src/workers': {
    'src/config.ts': 'the configuration',
    'src/database': 'the database',
    'src/metrics': 'those of all workers',
    'src/prepare.ts': 'what the primary does once',
    'src/run-gateway.ts': 'what a worker does',
    'src/tracing': 'the spans of requests',
  },
  'src/demo': { 'src/catalog': 'what it makes' },
  'src/import': {
    'src/catalog': 'what it writes',
    'src/config.ts': 'the configuration',
    'src/database': 'tables',
    'src/errors.ts': 'expected failures',
    'src/global-config': 'enumerations in force',
  },
  'src/jobs': {
    'src/loggable-error.ts': 'what the log may have',
    'src/catalog': 'stores, and who sees them',
    'src/database': 'tables',
    'src/errors.ts': 'expected failures',
    'src/export': 'what a job does',
    'src/import': 'what a job does',
  },
  'src/export': {
    'src/catalog': 'what it reads',
    'src/database': 'a connection of its own',
    'src/import': 'what its columns are to become',
  },
  'src/serve.ts': {
    'src/config.ts': 'the configuration',
    'src/database': 'the database',
    'src/prepare.ts': 'what is done before',
    'src/run-gateway.ts': 'what it serves',
    'src/tracing': 'the spans of requests',
  },
  'src/cli': {
    'src/tracing': 'the spans of requests',
    'src/auth': 'a command',
    'src/catalog': 'checks',
    'src/config.ts': 'the configuration',
    'src/database': 'the database',
    'src/errors.ts': 'expected failures',
    'src/export': 'a command',
    'src/filter': 'a command',
    'src/import': 'a command',
    'src/log.ts': 'the log',
    'src/serve.ts': 'a command',
    'src/workers': 'the same command as several processes',
  },
  'src/config.ts': { 'src/auth': 'the provider of JSON Web Tokens' },
  'src/ready.ts': { 'src/database': 'whether it answers' },
  'src/request-scope.ts': { 'src/tracing': 'the spans of a request' },
  'src/errors.ts': {},
  'src/log.ts': {},
  'src/known-large.ts': {},
  'src/once.ts': {},
  'src/cli.ts': { 'src/cli': 'the program', 'src/compile-cache.js': 'a quick start' },
  'src/main.ts': { 'src/cli': 'the program', 'src/compile-cache.js': 'a quick start' },
}

const files = ['schema', 'rest', 'src'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
)

/** Packages that a part must do without, and why. */
const foreign: Record<string, { packages: RegExp; why: string }> = {
  rest: {
    packages: /^(kysely|pg|graphql-yoga|@pothos\/.*|node:.*)$/,
    why: 'it is a neutral core: plain data in and out',
  },
  schema: { packages: /^(kysely|pg|graphql-yoga|node:.*)$/, why: 'it says what the API says: no SQL, no HTTP' },
  'src/catalog': { packages: /graphql|pothos|http|^node:net$/, why: 'a catalogue knows neither of its doors' },
  'src/http': { packages: /^(kysely|pg|graphql|graphql-yoga)$/, why: 'it knows paths and sockets' },
  'src/graphql': { packages: /^(kysely|pg|node:.*)$/, why: 'it runs documents' },
}

/** What does work when it is loaded: the programs. */
const programs = ['src/main.ts', 'src/cli.ts']

describe('the source', () => {
  it('imports only along the arrows', () => {
    const strays = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => partOf(target) !== partOf(file))
        .filter((target) => !Object.keys(arrows[partOf(file)] ?? {}).some((allowed) => isWithin(allowed, target)))
        .map((target) => `${file} -> ${target}`),
    )
    expect(strays).toEqual([])
    expect([...new Set(files.map(partOf))].filter((part) => !(part in arrows))).toEqual([])
  })

  it('uses every arrow', () => {
    const unused = Object.entries(arrows).flatMap(([part, targets]) => {
      const imported = files.filter((file) => partOf(file) === part).flatMap(importsOf)
      return Object.keys(targets)
        .filter((allowed) => !imported.some((target) => isWithin(allowed, target)))
        .map((allowed) => `${part} -> ${allowed}`)
    })
    expect(unused).toEqual([])
  })

  it('lets rest and schema meet at the doors only', () => {
    const both = files.filter((file) => {
      const parts = importsOf(file).map(partOf)
      return parts.includes('rest') && parts.includes('schema')
    })
    expect(both).toEqual(['src/doors.ts'])
  })

  it('keeps packages out of the parts that must not know them', () => {
    const strays = Object.entries(foreign).flatMap(([part, { packages, why }]) =>
      files
        .filter((file) => partOf(file) === part)
        .flatMap((file) => packagesOf(file).map((name) => ({ file, name })))
        .filter(({ name }) => packages.test(name))
        .map(({ file, name }) => `${file} -> ${name}: ${why}`),
    )
    expect(strays).toEqual([])
  })

  it('does nothing when it is loaded, but for the programs', () => {
    const modules = files.filter((file) => !programs.includes(file)).map((file) => join(root, file))
    const script = `
      const before = [process.stdin, process.stdout, process.stderr] && process.getActiveResourcesInfo()
      for (const module of ${JSON.stringify(modules)}) await import(module)
      const after = process.getActiveResourcesInfo()
      if (after.length === before.length) process.exit(0)
      process._rawDebug(JSON.stringify(after))
      process.exit(3)`
    const env = { PATH: process.env.PATH, DATA_DIR: '/nowhere', DATABASE_URL: 'no URL', PORT: 'no port' }
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: root,
      env,
      encoding: 'utf8',
      timeout: 30_000,
    })
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
  })

  it('states only declarations at the top of its modules', () => {
    const declaration =
      /^(import|export|const|let|function|async function|interface|type|class|[\])}]|\/\*|\/\/| \*|#!|$)/
    const work = files
      .filter((file) => !programs.includes(file))
      .flatMap((file) =>
        sourceOf(file)
          .split('\n')
          .map((line) => ({ file, line })),
      )
      .filter(({ line }) => !line.startsWith(' ') && !declaration.test(line))
      .filter(({ file, line }) => !(file.startsWith('schema/') && /^(builder|\w+Ref)\b/.test(line)))
    expect(work).toEqual([])
  })

  it('exports by name, where the thing is made', () => {
    const strays = files.filter((file) => /^export (default\b|\*|\{[^}]*\} from)/m.test(sourceOf(file)))
    expect(strays).toEqual([])
  })

  it('has no any and no !', () => {
    const loose = /(?:[:<|&,] ?|\bas )any\b(?!\()|[\w)\]]!(?=[.,;)\]]|$)/m
    const strays = files
      .filter((file) => file !== 'rest/operations.ts')
      .flatMap((file) => {
        const code = sourceOf(file).replaceAll(/^\s*(\/\*\*|\*|\/\/).*$|'[^'\n]*'|`[^`]*`/gm, '')
        return loose.test(code) ? [`${file}: ${loose.exec(code)?.[0]}`] : []
      })
    expect(strays).toEqual([])
  })

  it('has no file of more than 200 lines but tables', () => {
    const tables = ['rest/endpoints.ts', 'rest/operations.ts']
    const long = files.filter((file) => sourceOf(file).split('\n').length > 201)
    expect(long.filter((file) => !tables.includes(file))).toEqual([])
  })
})

describe('the schema', () => {
  it('has all of the core, with the same types and defaults', () => {
    expect(differencesFromCore(readFileSync(new URL('./schema/core.graphql', import.meta.url), 'utf8'))).toEqual([])
  })
})

/** What of the core the schema lacks or has otherwise, and what it demands beyond the core. */
function differencesFromCore(core: string): string[] {
  const differences: string[] = []
  const compare = (expected: Map<string, Member>, actual: Map<string, Member>, where: string, mayDemand: boolean) => {
    for (const [name, { is, members, isInput }] of expected) {
      const found = actual.get(name)
      if (!found) differences.push(`${where}${name} is missing`)
      else if (found.is !== is) differences.push(`${where}${name} is ${found.is}, not ${is}`)
      else compare(members, found.members, `${where}${name}.`, !isInput)
    }
    for (const [name, { isRequired }] of actual) {
      if (!expected.has(name) && isRequired && !mayDemand) differences.push(`${where}${name} is demanded`)
    }
  }
  compare(membersOf(parse(core).definitions), membersOf(parse(printSchema(schema)).definitions), '', true)
  return differences
}

/** A type, field, argument or value as its text, and what it consists of. */
interface Member {
  is: string
  members: Map<string, Member>
  /** Whether what it consists of is given by the caller. */
  isInput: boolean
  /** Whether a caller has to give it. */
  isRequired: boolean
}

type Node = Partial<Pick<FieldDefinitionNode, 'name' | 'type' | 'arguments'>> &
  Partial<Pick<InputValueDefinitionNode, 'defaultValue'>> & { kind: string; fields?: unknown; values?: unknown }

function membersOf(nodes: readonly ASTNode[]): Map<string, Member> {
  return new Map(
    nodes.map((node) => {
      const { kind, name, type, defaultValue, arguments: args, fields, values } = node as Node
      const of = type ? `${print(type)}${defaultValue ? ` = ${print(defaultValue)}` : ''}` : kind
      const members = [args, fields, values].flatMap((list) => (Array.isArray(list) ? (list as ASTNode[]) : []))
      const member = {
        is: of,
        members: membersOf(members),
        isInput: kind === 'InputObjectTypeDefinition' || kind === 'FieldDefinition',
        isRequired: type?.kind === 'NonNullType' && !defaultValue,
      }
      return [name?.value ?? '', member]
    }),
  )
}

function packagesOf(file: string): string[] {
  return [...sourceOf(file).matchAll(/(?:from|import) '([^.'][^']*)'/g)].map((match) => match[1] ?? '')
}

function isWithin(allowed: string, target: string): boolean {
  return target === allowed || target.startsWith(`${allowed}/`) || partOf(target) === allowed
}

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
