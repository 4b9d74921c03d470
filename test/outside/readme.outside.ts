import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fallbackEnumerations } from '../../src/catalogue/enumerations.ts'
import { loadDemo } from '../../src/demo/demo.ts'
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts'
import { newStore } from '../support/factories.ts'
import { startTestGateway, type TestGateway, token } from '../support/servers/gateway.ts'
import { newToken } from '../support/tokens.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const documents = [
  'README.md',
  ...(await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`),
]

let gateway: TestGateway
/** What commands that move a database move it to. */
let empty: TestDatabase
/** Where the commands run: it has the project's scripts, and the files that the commands name. */
let folder: string
beforeAll(async () => {
  gateway = await startTestGateway()
  empty = await createTestDatabase({ empty: true })
  await loadDemo(gateway.database.catalogue, fallbackEnumerations, pino({ level: 'silent' }))
  folder = await mkdtemp(join(tmpdir(), 'docs-'))
  const scripts = { start: `${root}bin/catalog serve`, catalog: `${root}bin/catalog` }
  await writeFile(join(folder, 'package.json'), JSON.stringify({ scripts }))
  await symlink(`${root}examples`, join(folder, 'examples'))
  for (const [name, lines] of Object.entries(files)) await writeFile(join(folder, name), lines.join('\n'))
})
afterAll(async () => {
  await gateway.stop()
  await empty.drop()
  await rm(folder, { recursive: true })
})

const files = {
  'products.csv': [
    'sku,Product Name,base_image,additional_images',
    'A-1,Lamp,/a/1.jpg,"/a/2.jpg,/a/3.jpg"',
    'A-2,Chair,/b/1.jpg,',
  ],
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

it.each(documents)(
  'every command of %s runs, and gives the answer that is shown below it',
  { timeout: 300_000 },
  async (name) => {
    const text = await readFile(join(root, name), 'utf8')
    let store = await newStore(gateway)
    for (const [, command = '', answer] of text.matchAll(/```sh\n([^`]*?)```(?:\n```json\n([^`]*?)```)?/g)) {
      if (/npm (start|test)/.test(command)) {
        await starts(command)
        continue
      }
      const { stdout } = await run(command, {
        STORE: store,
        TOKEN_ID: (await newToken(gateway, { scopes: ['READ'] })).tokenId,
        NEW_DATABASE_URL: empty.url,
      })
      if (answer !== undefined) expect(withoutUuids(stdout), command).toBe(withoutUuids(answer.trim()))
      if (/"errors"|"code":-1/.test(stdout) && answer === undefined) throw new Error(`${command}\n${stdout}`)
      store = /"store_uuid":"([^"]+)"/.exec(stdout)?.[1] ?? store
    }
  },
)

function run(command: string, env: Record<string, string>) {
  const all = { PATH: process.env.PATH, DATABASE_URL: gateway.database.url, BASE: gateway.url, TOKEN: token, ...env }
  return promisify(execFile)('bash', ['-ec', command], { cwd: folder, env: all })
}

/** Runs the lines that start the gateway, without what installs and tests it, until each says where it listens. */
async function starts(command: string): Promise<void> {
  const lines = command
    .split('\n')
    .map((line) => line.replace(/npm ci && |#.*/g, ''))
    .filter((line) => line.includes('npm start'))
  for (const line of lines) {
    const database = await createTestDatabase({ empty: true })
    const env = { PATH: process.env.PATH, DATABASE_URL: database.url, PORT: '0' }
    const child = spawn(
      'bash',
      ['-c', `exec ${line.replace('npm start', `${root}bin/catalog serve`).replace(' -- ', ' ')}`],
      { cwd: folder, env },
    )
    const said = await new Promise<string>((resolve, reject) => {
      child.stdout.on('data', (chunk) => resolve(String(chunk)))
      child.on('exit', (code) => reject(new Error(`${line} ended with ${code}`)))
    })
    expect(said).toMatch(/^catalogue gateway at http:/)
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill()
    await ended
    await database.drop()
  }
}

function withoutUuids(text: string): string {
  return text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>').replace(/,"extensions":\{[^}]*\}+$/, '}')
}
