import { existsSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { files, filesOf, programs, root, sourceOf } from './support/sources.ts'

/**
 * What the files of each folder may import besides packages, their own folder, `src/errors.ts`, `src/text.ts` and
 * `src/lazy.ts`. The order is from the top to the bottom: imports point downwards.
 */
const mayImport: Record<string, string> = {
  'src/cli':
    'rest app auth backup catalogue database demo export filter-service global-config http import jobs live request webhooks',
  'src/app':
    'rest schema auth catalogue database event-loop fair-share filter-service global-config graphql http idempotency jobs live mcp metrics outgoing request tracing webhooks',
  'src/event-loop': 'fair-share request',
  'src/demo': 'catalogue import',
  schema: 'auth catalogue graphql import jobs live request webhooks',
  'src/webhooks': 'catalogue database live outgoing request',
  'src/jobs': 'catalogue database event-loop export import request',
  'src/export': 'catalogue database request',
  'src/import': 'catalogue database request',
  'src/backup': 'database',
  'src/filter-service': 'catalogue database request',
  'src/mcp': 'database graphql http idempotency request',
  'src/http': 'rest auth event-loop fair-share graphql request tracing',
  'src/graphql': 'catalogue database jobs request',
  'src/metrics': '',
  'src/global-config': 'catalogue',
  'src/outgoing': 'request',
  'src/live': 'catalogue database fair-share request',
  'src/auth': 'catalogue database request',
  'src/idempotency': 'database request',
  'src/catalogue': 'database request',
  'src/database': 'embedded-postgres fair-share request',
  'src/embedded-postgres': '',
  'src/fair-share': 'request',
  'src/request': 'tracing',
  'src/tracing': '',
  rest: 'request',
}

/** Packages that a part must do without, and why. */
const foreign: Record<string, { packages: RegExp; why: string }> = {
  rest: { packages: /^(kysely|pg|@pothos\/.*|node:.*)$/, why: 'it is a neutral core: plain data in and out' },
  schema: { packages: /^(kysely|pg|node:.*)$/, why: 'it says what the API says: no SQL, no HTTP' },
  'src/catalogue': { packages: /graphql|pothos|http|^node:net$/, why: 'a catalogue knows neither API' },
  'src/http': { packages: /^(kysely|pg|graphql)$/, why: 'it knows paths and sockets' },
  'src/graphql': { packages: /^(kysely|pg|node:.*)$/, why: 'it runs documents' },
}

/** They interpolate settings and names of roles and tables; `report-users.ts` only prints its statement. */
const ownSql = [
  'src/auth/report-users.ts',
  'src/backup/backup.ts',
  'src/backup/format.ts',
  'src/database/citus/distribute.ts',
  'src/database/citus/run-in-store.ts',
  'src/database/connection/own-connection.ts',
  'src/database/connection/session.ts',
  'src/database/partitions.ts',
  'src/database/registry/table-access.ts',
  'src/database/tenant.ts',
  'src/embedded-postgres/create-cluster.ts',
]

const generated = ['rest/results.generated.ts', 'rest/operations.generated.ts', 'rest/client/openapi.ts']

describe('the source', () => {
  it('imports only what its folder may import', () => {
    const strays = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => folderOf(target) !== folderOf(file) && folderOf(target) !== 'src')
        .filter((target) => folderOf(file) !== 'src' && !allowed(folderOf(file)).includes(folderOf(target)))
        .map((target) => `${file} -> ${target}`),
    )
    expect(strays).toEqual([])
    expect([...new Set(files.map(folderOf))].filter((folder) => folder !== 'src' && !(folder in mayImport))).toEqual([])
  })

  it('has no permission to import that no file uses', () => {
    const unused = Object.keys(mayImport).flatMap((folder) => {
      const used = new Set(
        files
          .filter((file) => folderOf(file) === folder)
          .flatMap(importsOf)
          .map(folderOf),
      )
      return allowed(folder)
        .filter((target) => !used.has(target))
        .map((target) => `${folder} -> ${target}`)
    })
    expect(unused).toEqual([])
  })

  it('lets no file import both rest and schema', () => {
    const both = files.filter((file) => {
      const parts = importsOf(file).map(folderOf)
      return parts.includes('rest') && parts.includes('schema')
    })
    expect(both).toEqual([])
  })

  it('has no import cycle, type-only imports included', () => {
    expect(cycles()).toEqual([])
  })

  it('has at most four loose files in src, and at most 13 in any other folder', () => {
    const folders = [...Map.groupBy(files, dirname)]
    const full = folders.filter(([folder, { length }]) => length > (folder === 'src' ? 4 : 13))
    const advice = 'move files that belong together to a folder of their own'
    expect(full.map(([folder, { length }]) => `${folder} has ${length}: ${advice}`)).toEqual([])
  })

  it('keeps packages out of the parts that must not know them', () => {
    const strays = Object.entries(foreign).flatMap(([part, { packages, why }]) =>
      files
        .filter((file) => folderOf(file) === part)
        .flatMap((file) => packagesOf(file).map((name) => ({ file, name })))
        .filter(({ name }) => packages.test(name))
        .map(({ file, name }) => `${file} -> ${name}: ${why}`),
    )
    expect(strays).toEqual([])
  })

  it('states only declarations at the top of its modules', () => {
    const declaration =
      /^(import|export|declare|const|let|function|async function|interface|type|class|[\])}>]|\/\*|\/\/| \*|#!|$)/
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
    // What a package exports has one file that names it.
    expect(strays).toEqual(['rest/client/index.ts'])
  })

  it('builds no SQL text from values: input comes as parameters', () => {
    const strays = files.filter((file) => /\bsql\.(raw|lit)\b/.test(sourceOf(file)))
    expect(strays).toEqual(['src/database/migrate.ts'])
  })

  it('builds SQL strings from names and settings of its own only, in few files', () => {
    const verbs =
      'alter|analyze|begin|call|copy|create|delete|do|drop|grant|insert|lock|reset|rollback|savepoint|select|set|truncate|update|vacuum|with'
    // The tag `sql` makes parameters of what it interpolates; a template without a tag does not.
    const interpolated = new RegExp(`(?<![\\w>])\`[\\s(]*(?:${verbs})\\b[^\`]*\\$\\{`)
    const strays = files
      .filter((file) => file.startsWith('src/'))
      .filter((file) => interpolated.test(sourceOf(file).replaceAll(/^\s*(\/\*\*|\*|\/\/).*$|'[^'\n]*'/gm, '')))
    expect(strays.sort()).toEqual(ownSql)
  })

  it('opens connections to PostgreSQL in few files, which set what a session needs', () => {
    const opening = files.filter((file) => file.startsWith('src/') && /new pg\.(Client|Pool)\b/.test(sourceOf(file)))
    expect(opening.sort()).toEqual([
      'src/database/citus/store-servers.ts', // asks whether a server of Citus answers
      'src/database/connection/connect.ts',
      'src/database/connection/hosts.ts', // asks whether a host serves
      'src/database/connection/pooler.ts', // asks for the number of a session
      'src/embedded-postgres/lease.ts', // holds a lock
    ])
  })

  it('has no any and no !', () => {
    const loose = /(?:[:<|&,] ?|\bas )any\b(?!\()|[\w)\]]!(?=[.,;)\]]|$)/m
    const strays = files
      .filter((file) => !generated.includes(file))
      .flatMap((file) => {
        const code = sourceOf(file).replaceAll(/^\s*(\/\*\*|\*|\/\/).*$|'[^'\n]*'|`[^`]*`/gm, '')
        return loose.test(code) ? [`${file}: ${loose.exec(code)?.[0]}`] : []
      })
    expect(strays).toEqual([])
  })

  it('names no program of the machine by its path, which another machine lacks', () => {
    const all = filesOf(['src', 'test', 'tools', 'bench'], /\.(ts|js)$/)
    expect(all.filter((file) => /['"`]\/(usr|opt|snap)\//.test(sourceOf(file)))).toEqual([])
  })

  it('runs only test files that exist in its rows of faults', () => {
    const named = [...sourceOf('test/faults/torture.ts').matchAll(/'(test\/[^']+)'/g)].map((match) => match[1] ?? '')
    expect(named).not.toEqual([])
    expect(named.filter((name) => !existsSync(join(root, name)))).toEqual([])
  })

  it('keeps comments within 120 columns', () => {
    const all = filesOf(['schema', 'rest', 'src', 'test', 'bench'], /\.(ts|js|sql)$/)
    const wide = all
      .filter((file) => !generated.includes(file))
      .flatMap((file) =>
        sourceOf(file)
          .split('\n')
          .flatMap((line, i) =>
            /^\s*(\/\*\*|\*|\/\/|--)/.test(line) && line.length > 120 ? [`${file}:${i + 1}`] : [],
          ),
      )
    expect(wide).toEqual([])
  })

  it('has no file of more than 200 lines but tables', () => {
    const tables = ['rest/endpoints.ts', ...generated]
    const long = files.filter((file) => sourceOf(file).split('\n').length > 201)
    expect(long.filter((file) => !tables.includes(file))).toEqual([])
  })
})

/** A path for each import that leads back to a file that is being visited. */
function cycles(): string[] {
  const found: string[] = []
  const done = new Set<string>()
  const visit = (file: string, path: string[]) => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(' -> '))
    else if (!done.has(file)) for (const target of importsOf(file)) visit(target, [...path, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
  return found
}

function packagesOf(file: string): string[] {
  return [...sourceOf(file).matchAll(/(?:from|import) '([^.'][^']*)'/g)].map((match) => match[1] ?? '')
}

function importsOf(file: string): string[] {
  const targets = [...sourceOf(file).matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) => match[1] ?? '')
  return targets.map((target) => relative(root, normalize(join(root, dirname(file), target))))
}

/** `rest`, `schema`, a folder of `src`, or `src` for its loose files. */
function folderOf(file: string): string {
  const parts = file.split('/')
  return parts[0] === 'src' && parts.length > 2 ? parts.slice(0, 2).join('/') : (parts[0] ?? '')
}

function allowed(folder: string): string[] {
  const names = mayImport[folder]?.match(/\S+/g) ?? []
  return names.map((name) => (name === 'rest' || name === 'schema' ? name : `src/${name}`))
}
