import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runCli } from '../support/clients/cli.ts'
import { storeWithProducts } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()

const dangerous = [
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '=HYPERLINK("https://bad.example","a, b")',
  "'=1",
  "''@1",
]
const harmless = ['1-1', "'1", ' =1', 'a@b', '"=1"']

function makeStore(): Promise<string> {
  const values = [...dangerous, ...harmless].map((value, i) => [`V${String.fromCharCode(65 + i)}`, value])
  return storeWithProducts(gateway, [
    { productCode: '=code', attributes: { ...Object.fromEntries(values), '@name': 'x' } },
  ])
}

const cellOf = (text: string) => (/[",\r\n]|^'?\s/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

const letters = [...dangerous, ...harmless].map((_, i) => `V${String.fromCharCode(65 + i)}`)
const escaped = [
  ['product_code', 'status', "'@name", ...letters].join(','),
  ["'=code", 'new', 'x', ...dangerous.map((value) => `'${value}`), ...harmless].map(cellOf).join(','),
  '',
].join('\n')
const plain = [
  ['product_code', 'status', '@name', ...letters].join(','),
  ['=code', 'new', 'x', ...dangerous, ...harmless].map(cellOf).join(','),
  '',
].join('\n')

it('catalog export writes cells as they are, and with --escape-formulas an apostrophe before formulas', async () => {
  const store = await makeStore()
  const run = (...args: string[]) =>
    runCli(['export', '--store', store, ...args], { DATABASE_URL: gateway.database.url })
  expect((await run()).stdout).toBe(plain)
  expect((await run('--escape-formulas')).stdout).toBe(escaped)
  const lines = await run('--format', 'jsonl')
  expect(JSON.parse(lines.stdout)).toMatchObject({ product_code: '=code', VA: '=1+1' })
  expect((await run('--format', 'jsonl', '--escape-formulas')).stdout).toBe(lines.stdout)
})

it('an export job does so with escapeFormulas', async () => {
  const store = await makeStore()
  const field = async <T>(document: string) => Object.values(await gateway.data(document))[0] as T
  const outputOf = async (argument: string) => {
    const { jobId } = await field<{ jobId: string }>(
      `mutation { startExport(storeUuid: "${store}"${argument}) { jobId } }`,
    )
    const job = (selection: string) => field(`{ job(id: "${jobId}") { ${selection} } }`)
    await expect.poll(() => job('state')).toEqual({ state: 'SUCCEEDED' })
    return Object.values((await job('head: output rows: output(part: 1)')) as Record<string, string>).join('')
  }
  expect(await outputOf('')).toBe(plain)
  expect(await outputOf(', escapeFormulas: true')).toBe(escaped)
})

it('catalog import takes back what was escaped with --unescape-formulas, and notes it otherwise', async () => {
  const store = await makeStore()
  const folder = await mkdtemp(join(tmpdir(), 'catalogue-formulas-'))
  const [file, env] = [join(folder, 'escaped.csv'), { DATABASE_URL: gateway.database.url }]
  await writeFile(file, escaped)
  const run = async (...args: string[]) => {
    const { stdout, stderr } = await runCli(['import', file, '--store', store, '--json', ...args], env)
    return { ...JSON.parse(stdout), stderr }
  }
  expect(await run('--unescape-formulas')).toMatchObject({ unchanged: 1, created: 0, updated: 0, notes: [] })
  const kept = await run('--dry-run')
  expect(kept).toMatchObject({ created: 1 })
  expect(kept.notes).toContainEqual({ code: 'escaped_formulas', column: 'product_code', rows: 1, example: "'=code" })
  expect(kept.stderr).toContain('--unescape-formulas removes it')
  await rm(folder, { recursive: true })
})
