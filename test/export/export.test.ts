import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { existsSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { sentStatements } from '../../src/database/connection/sent-statements.ts'
import { exportStore } from '../../src/export/export-store.ts'
import { outcomeOf, refusal, runCli, startCli } from '../support/clients/cli.ts'
import { callRest } from '../support/clients/rest-client.ts'
import { addAssets, addProducts, newStore, storeWithProducts, unknownStore } from '../support/factories.ts'
import { useFolder } from '../support/folder.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()
const folder = useFolder('each')

const run = (...args: string[]) => runCli(args, { DATABASE_URL: gateway.database.url })

/** What a file cannot hold or misreads: empty values, names of URL fields and of reports, assets of one URL. */
async function oddStore(): Promise<string> {
  const store = await storeWithProducts(gateway, [
    {
      productCode: 'A',
      attributes: {
        Empty: '',
        'Audio URL 1': 'y',
        'attribute:Image URL 1': 'z',
        'attribute:Color': 'Red',
        import_error_row: '1',
        import_errors: 'e',
        import_source: 's',
      },
    },
    { productCode: 'B', attributes: { Empty: '' } },
  ])
  // From before the format was configured: the API takes no attribute of such a name.
  await sql`update product set attributes = attributes || '{"Image URL 1": "x", "Image URL 7": "not a URL"}'
    where store_uuid = ${store} and product_code = 'A'`.execute(gateway.database.db)
  await sql`insert into attribute_name values (${store}, 'Image URL 1'), (${store}, 'Image URL 7')`.execute(
    gateway.database.db,
  )
  await addAssets(gateway, store, [
    ['a', 'A', { url: 'https://cdn.example/c' }],
    ['b', 'A', { url: 'https://cdn.example/c' }],
    'c B',
    'd B',
  ])
  return store
}

/** A store with what a table finds hard: quotes, line breaks, treacherous names, several formats, gaps. */
async function hardStore(): Promise<string> {
  const store = await storeWithProducts(gateway, [
    {
      productCode: '__proto__',
      status: 'under review',
      attributes: { __proto__2: 'x', Title: 'says "hi", twice\r\nand\n' },
    },
    { productCode: '1002', attributes: { Title: ' spaces ', 'a.b': '1', Ünïcode: '𝒳' } },
    { productCode: 'Z9', status: 'active' },
  ])
  await addAssets(gateway, store, [
    'c 1002',
    'a 1002',
    ['b', '1002', { assetFormat: 'pdf' }],
    'a Z9',
    ['d', 'Z9', { channel: 'channel_value_1' }],
    ['e', 'no product'],
  ])
  return store
}

for (const [format, what, makeStore, products] of [
  ['csv', 'is hard to write', hardStore, 3],
  ['jsonl', 'is hard to write', hardStore, 3],
  ['csv', 'a file has no room for', oddStore, 2],
  ['jsonl', 'a file has no room for', oddStore, 2],
] as const) {
  it(`gives the same bytes again after an import into an empty store of what ${what} (${format})`, async () => {
    const [first, second] = [folder.file(`first.${format}`), folder.file(`second.${format}`)]
    const copy = await newStore(gateway)
    const exported = await run('export', '--store', await makeStore(), '--format', format, '--out', first, '--json')
    expect(exported).toMatchObject({ code: 0, stdout: `{"rows":${products}}\n` })
    expect(await run('import', first, '--store', copy, '--json')).toMatchObject({ code: 0 })
    await run('export', '--store', copy, '--format', format, '--out', second)
    const bytes = await readFile(first, 'utf8')
    expect(bytes).toContain('https://cdn.example/c')
    expect(await readFile(second, 'utf8')).toBe(bytes)
  })
}

it('writes only the channel and status that are asked for, in the order of the codes', async () => {
  const store = await hardStore()
  const { stdout } = await run('export', '--store', store, '--format', 'jsonl', '--channel', 'channel_value_1')
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { product_code: '1002' },
    { product_code: 'Z9', 'Image URL 1': 'https://cdn.example/d' },
    { product_code: '__proto__' },
  ])
  const active = await run('export', '--store', store, '--status', 'active')
  expect(active.stdout).toMatch(
    /^product_code,status,.*,SMP: Image URL 1,.*\nZ9,active,.*https:\/\/cdn.example\/a,*\n$/,
  )
})

it('reads one snapshot: what is written while it runs does not show', async () => {
  const store = await storeWithProducts(
    gateway,
    Array.from({ length: 1500 }, (_, i) => `p${String(i).padStart(4, '0')}`),
  )
  const seen: string[] = []
  await exportStore(
    gateway.database.catalogue,
    { storeUuid: store, channel: 'SMP' },
    { format: 'jsonl' },
    async (text) => {
      // On Citus, the first read of products takes the snapshot.
      if (seen.length === 0 && text !== '')
        await addProducts(gateway, store, ['zz', { productCode: 'p1499', attributes: { late: 'yes' } }])
      const products = text.split('\n').filter((line) => line !== '')
      seen.push(...products.map((line) => JSON.parse(line)).map(({ product_code, late = '' }) => product_code + late))
    },
  )
  expect(seen).toHaveLength(1500)
  expect(seen.at(-1)).toBe('p1499')
})

it('says what is wrong and leaves no file when the store is unknown or the flags are', async () => {
  const out = folder.file('x.csv')
  const unknown = await run('export', '--store', unknownStore(), '--out', out)
  expect(unknown).toMatchObject(refusal('there is no store'))
  await expect(readFile(out)).rejects.toThrow('ENOENT')
  for (const flags of [['--store', unknownStore(), '--status', 'sold'], ['--store', unknownStore(), '--json'], []]) {
    expect((await run('export', ...flags)).code, flags.join(' ')).toBe(2)
  }
})

it('keeps the attributes whose names mean something else in a file', async () => {
  const [file, copy] = [folder.file('odd.csv'), await newStore(gateway)]
  const store = await oddStore()
  await run('export', '--store', store, '--out', file)
  expect(await run('import', file, '--store', copy, '--json')).toMatchObject({ code: 0 })
  const attributesOf = async (storeUuid: string) => {
    const { rows } = await sql<{ attributes: Record<string, string> }>`
      select attributes from product where store_uuid = ${storeUuid} and product_code = 'A'`.execute(
      gateway.database.db,
    )
    return rows[0]?.attributes
  }
  expect({ ...(await attributesOf(copy)), Empty: '' }).toEqual(await attributesOf(store))
})

it.skipIf(!existsSync('/dev/full'))('says in a sentence that stdout cannot be written', async () => {
  const store = await storeWithProducts(gateway, ['A'])
  const full = await open('/dev/full', 'w')
  const env = { DATABASE_URL: gateway.database.url }
  const { code, stderr } = await outcomeOf(startCli(['export', '--store', store], env, ['ignore', full.fd, 'pipe']))
  await full.close()
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^catalog: ENOSPC: [^\n]*\n$/) })
})

it('has columns for attributes of products that were written, and of no others', async () => {
  const store = await storeWithProducts(gateway, ['A'])
  const put = (body: object[]) => callRest(gateway, `PUT /products?store_uuid=${store}`, body)
  const header = async () => (await run('export', '--store', store)).stdout.split('\n')[0]
  await put([
    { product_code: 'A', Color: 'red' },
    { product_code: 'none', Ghost: 'white' },
  ])
  expect(await header()).toBe('product_code,status,Color')
  await put([{ product_code: 'A', Ghost: 'white' }])
  expect(await header()).toBe('product_code,status,Color,Ghost')
})

it('refuses CSV of more than 2,000 columns unless some are chosen', async () => {
  const attributes = (from: number) =>
    Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`a${from + i}`, 'x']))
  const store = await storeWithProducts(gateway, [
    { productCode: 'A', attributes: attributes(0) },
    { productCode: 'B', attributes: attributes(1_000) },
  ])
  expect(await run('export', '--store', store)).toMatchObject(
    refusal('columns is required, as the products of the store have more than 2000 columns'),
  )
  expect(await run('export', '--store', store, '--columns', 'product_code,a1999')).toMatchObject({
    code: 0,
    stdout: 'product_code,a1999\nA,\nB,x\n',
  })
  expect(await run('export', '--store', store, '--format', 'jsonl')).toMatchObject({ code: 0 })
})

it('looks for the columns of a store only where they are needed', async () => {
  const store = await storeWithProducts(gateway, ['A'])
  const texts: string[] = []
  const note = (text: unknown) => void texts.push(String(text))
  subscribe(sentStatements.name, note)
  onTestFinished(() => void unsubscribe(sentStatements.name, note))
  const looksWith = async (form: object) => {
    texts.length = 0
    const given = { storeUuid: store, channel: 'SMP' }
    await exportStore(gateway.database.catalogue, given, { format: 'csv', ...form }, async () => {})
    return texts.some((text) => text.includes('from asset_group_total'))
  }
  expect(await looksWith({})).toBe(true)
  expect(await looksWith({ columns: 'product_code', decimal: 'comma' })).toBe(true)
  expect(await looksWith({ columns: 'product_code' })).toBe(false)
})
