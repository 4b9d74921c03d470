import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parse, validate } from 'graphql'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { schema } from '../../schema/index.ts'
import { fallbackEnumerations } from '../../src/catalogue/enumerations.ts'
import { loadDemo } from '../../src/demo/demo.ts'
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts'
import { newStore } from '../support/factories.ts'
import { startTestGateway, type TestGateway, token } from '../support/servers/gateway.ts'
import { freePort } from '../support/servers/loopback.ts'
import { catalog, searchPath, startProgram } from '../support/servers/program.ts'
import { root } from '../support/sources.ts'
import { newToken } from '../support/tokens.ts'
import { type Block, blocksOf, documents, indentedCode, inlineCommands, isRun, notRun } from './documents.ts'

let gateway: TestGateway
/** The target of commands that move a database. */
let empty: TestDatabase
/** The working directory of the commands, with the project's scripts and the files that the commands name. */
let folder: string
beforeAll(async () => {
  gateway = await startTestGateway()
  empty = await createTestDatabase({ empty: true })
  await loadDemo(gateway.database.catalogue, fallbackEnumerations, pino({ level: 'silent' }))
  folder = await mkdtemp(join(tmpdir(), 'docs-'))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ scripts: { catalog } }))
  await symlink(join(root, 'examples'), join(folder, 'examples'))
  await mkdir(join(folder, 'node_modules/.bin'), { recursive: true })
  await symlink(catalog, join(folder, 'node_modules/.bin/catalog'))
  await symlink(process.execPath, join(folder, 'node_modules/.bin/node'))
  for (const [name, lines] of Object.entries(files)) await writeFile(join(folder, name), lines.join('\n'))
})
afterAll(async () => {
  await gateway.stop()
  await empty.drop()
  await rm(folder, { recursive: true })
})

const files = {
  'artikel.csv': ['Artikelnummer;Preis;Status;Bilder', 'B-1;12,50;Aktiv;https://cdn.example.com/b.jpg'],
  'products.json': [JSON.stringify([{ sku: 'J-1', images: ['https://cdn.example.com/j.jpg'] }])],
  'products_export.csv': [
    'Handle,Title,Image Src,Image Position,Status',
    'lamp,Lamp,https://cdn.example.com/1.jpg,1,active',
  ],
  'catalog_product.csv': [
    'sku,store_view_code,name,product_online,base_image,additional_images',
    'M-1,,Lamp,1,/m/1.jpg,/m/2.jpg',
  ],
}

describe.each(documents)('%s', (document) => {
  const blocks = blocksOf(document)

  it('has code only in blocks of a language that is tested, and pictures of text', () => {
    const pictures = ['docs/architecture.md', 'docs/concepts.md'].includes(document) ? ['', 'mermaid'] : []
    const known = ['sh', 'ts', 'graphql', 'sql', 'json', ...pictures]
    expect(blocks.filter(({ language }) => !known.includes(language))).toEqual([])
    expect(indentedCode(document)).toEqual([])
  })

  it('has commands and code that run, and give the answer that follows them', { timeout: 300_000 }, async () => {
    let store = await newStore(gateway)
    for (const block of blocks) store = (await tests[block.language]?.(block, store)) ?? store
  })

  it('names commands that exist, with their options', { timeout: 300_000 }, async () => {
    for (const command of inlineCommands(document)) {
      const [, given] =
        /^(?:npm run (?:--silent )?)?catalog (?:-- )?(.*)/.exec(command.replace(/^DATABASE_URL=\S+ /, '')) ?? []
      if (given === undefined || given === 'COMMAND') continue
      const words = given.split(' ')
      const { stdout } = await run(`catalog ${words.filter((word) => /^[a-z][a-z-]+$/.test(word)).join(' ')} --help`)
      const options = words.filter((word) => word.startsWith('--'))
      expect(stdout, command).toContain('Usage: catalog')
      for (const option of options) expect(stdout, command).toContain(option)
    }
  })
})

it.each(['docs/troubleshooting.md', 'docs/upgrading.md'])('the commands in sentences of %s run', async (document) => {
  const store = await newStore(gateway)
  const commands = inlineCommands(document).filter(isRun)
  expect(commands.length).toBeGreaterThan(2)
  for (const command of commands) await runShell({ text: command.replace('UUID', store) }, store)
})

it('each exception is of a command that a page has', () => {
  const commands = documents.flatMap((document) => [
    ...inlineCommands(document),
    ...blocksOf(document).flatMap(({ text }) => text.split(/\n| && /)),
  ])
  expect(notRun.filter(([pattern]) => !commands.some((command) => pattern.test(command)))).toEqual([])
})

type BlockTest = (block: Block, store: string) => Promise<string | undefined> | undefined

/** How a block of each language is tested. A shell block may name the store for the next ones. */
const tests: Record<string, BlockTest> = {
  sh: runShell,
  ts: async ({ text }, store) => {
    const given = `const [token, store_uuid] = ${JSON.stringify([token, store])}\n`
    const client = JSON.stringify(join(root, 'rest/client/index.ts'))
    const source = local(text).replace("'catalogue-gateway-client'", client)
    await writeFile(join(folder, 'block.ts'), given + source)
    await run('node block.ts')
    return undefined
  },
  graphql: ({ text }) => void expect(validate(schema, parse(text)), text).toEqual([]),
  sql: async ({ text }) => {
    const client = await gateway.database.client()
    await client.query('insert into report_user select current_user, store_uuid from store on conflict do nothing')
    await client.query('set search_path = report')
    expect((await client.query(text)).rows.length, text).toBeGreaterThan(0)
    await client.end()
    return undefined
  },
  json: ({ text }) => void expect(() => JSON.parse(text), text).not.toThrow(),
}

async function runShell({ text, answer }: Pick<Block, 'text'> & Partial<Block>, store: string) {
  const lines = text.split('\n').map((line) => line.split(' && ').filter(isRun).join(' && '))
  for (const line of lines.filter(isStart)) await starts(line)
  const command = local(lines.filter((line) => !isStart(line)).join('\n'))
  const { tokenId } = await newToken(gateway, { scopes: ['READ'] })
  const { stdout } = await run(command, { STORE: store, TOKEN_ID: tokenId, NEW_DATABASE_URL: empty.url })
  if (answer !== undefined) expect(withoutUuids(stdout), command).toBe(withoutUuids(answer.trim()))
  else expect(stdout, command).not.toMatch(/"errors"|"code":-1/)
  return /"store_uuid":"([^"]+)"/.exec(stdout)?.[1]
}

const isStart = (line: string) => line.includes('npm start')

/** With the gateway of the tests in place of the one that the page's reader has. */
const local = (text: string) =>
  text.replaceAll('http://127.0.0.1:4000', gateway.url).replaceAll(/\bTOKEN=…/g, `TOKEN=${token}`)

function run(command: string, env: Record<string, string> = {}) {
  const PATH = `${folder}/node_modules/.bin:${searchPath}`
  const all = { PATH, DATABASE_URL: gateway.database.url, BASE: gateway.url, TOKEN: token, ...env }
  return promisify(execFile)('bash', ['-ec', command], { cwd: folder, env: all }).catch((error: Error) => {
    throw new Error(`${error.message}${'stdout' in error ? error.stdout : ''}`)
  })
}

/** Runs a line that starts the gateway, until it prints where it listens. */
async function starts(line: string): Promise<void> {
  const database = await createTestDatabase({ empty: true })
  const command = line
    .replace('npm start', `${catalog} serve`)
    .replace(' -- ', ' ')
    .replace('PORT=4001', `PORT=${await freePort()}`)
    .replace(/DATABASE_URL=\S+/, `DATABASE_URL=${database.url}`)
    .replace('TOKEN=…', 'TOKEN=a-token-of-the-page')
  const env = { DATABASE_URL: database.url }
  const program = await startProgram(['-c', `exec env ${command}`], env, undefined, 'bash', folder)
  expect(program.stdout()).toMatch(/^catalogue gateway at http:/)
  await program.end()
  await database.drop()
}

function withoutUuids(text: string): string {
  return text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>').replace(/,"extensions":\{[^}]*\}+$/, '}')
}
