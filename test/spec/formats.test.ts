import { expect } from 'vitest'
import { ask } from '../support/clients/operations.ts'
import { addAssets, define, newStore, storeWithAssets, storeWithProducts } from '../support/factories.ts'
import { requirements, rest } from './requirement.ts'

const csv = { accept: 'text/csv' }
const jsonl = { accept: 'application/jsonl' }

requirements('tables', (gateway) => {
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const { status, headers: answered, text, json } = await gateway.call(`/v1${path}`, { headers })
    const { 'content-type': type, link } = answered
    return { status, type, link, text, json: json as { data: Record<string, unknown> } | undefined }
  }

  return {
    'FORMATS-01 MUST list products as CSV with a column for each attribute and URL, on request': rest(async () => {
      const store = await storeWithProducts(gateway, [
        { productCode: 'a', attributes: { Color: 'red, "deep"', Size: '=1+1' } },
        { productCode: 'b', attributes: { 'X-Y': 'ü' } },
      ])
      const body = [{ parent_code: 'b', assets: { 'Image URL 1': 'https://cdn.example/b.png' } }]
      await gateway.call(`/v1/assets?store_uuid=${store}`, { method: 'POST', body })
      const path = `/products?store_uuid=${store}`
      const rows = [
        'product_code,status,Color,Size,X-Y,SMP: Image URL 1',
        'a,new,"red, ""deep""",=1+1,,',
        'b,new,,,ü,https://cdn.example/b.png',
      ]
      const whole = { status: 200, type: 'text/csv; charset=utf-8', link: undefined, text: `${rows.join('\n')}\n` }
      expect(await get(path, csv)).toMatchObject(whole)
      const weighed = { accept: 'application/json;q=0.5, TEXT/CSV; q=0.9, application/jsonl;q=0' }
      expect(await get(path, weighed)).toMatchObject(whole)
      expect((await get(`${path}&escape_formulas=true`, csv)).text).toContain(",'=1+1,")
      expect((await get(`${path}&status=draft`, csv)).text).toBe(`${rows[0]}\n`)
    }),
    'FORMATS-07 MUST keep an attribute that is named like a column of URLs': rest(async () => {
      const names = ['other: Image URL 1', 'attribute:other: Image URL 1', 'Image URL 1x', 'import_error_row']
      const attributes = Object.fromEntries(names.map((name) => [name, `of ${name}`]))
      const store = await storeWithProducts(gateway, [{ productCode: 'a', attributes }])
      const body = [{ parent_code: 'a', assets: { 'Image URL 1': 'https://cdn.example/a.png' } }]
      await gateway.call(`/v1/assets?store_uuid=${store}`, { method: 'POST', body })
      expect((await get(`/products?store_uuid=${store}`, csv)).text.split('\n').slice(0, 2)).toEqual([
        'product_code,status,Image URL 1x,attribute:attribute:other: Image URL 1,attribute:import_error_row,attribute:other: Image URL 1,SMP: Image URL 1',
        'a,new,of Image URL 1x,of attribute:other: Image URL 1,of import_error_row,of other: Image URL 1,https://cdn.example/a.png',
      ])
    }),
    'FORMATS-02 MUST list products as JSON Lines, each as JSON has it, with a link to the next page': rest(async () => {
      const store = await storeWithProducts(gateway, ['__proto__', 'a', 'b'])
      const path = `/products?limit=2&store_uuid=${store}`
      const { json, link } = await get(path)
      const { status, type, text, ...page } = await get(path, jsonl)
      expect([status, type]).toEqual([200, 'application/jsonl; charset=utf-8'])
      const lines = text.trimEnd().split('\n')
      expect(lines.map((line) => JSON.parse(line))).toEqual(Object.values(json?.data.products ?? {}))
      expect(lines).toHaveLength(2)
      expect(page.link).toBe(`</v1/products?limit=2&store_uuid=${store}&offset=2>; rel="next"`)
      expect(link).toBe(page.link)
      const next = await get(/<\/v1(.*)>/.exec(String(page.link))?.[1] ?? '', jsonl)
      expect([JSON.parse(next.text).product_code, next.link]).toEqual(['b', undefined])
    }),
    'FORMATS-03 MUST answer in the envelope to any other Accept, and to what fails': rest(async () => {
      const store = await newStore(gateway)
      for (const accept of [
        '',
        '*/*',
        '*/*, text/csv;q=0.5',
        'text/html',
        'text/csv;q=0',
        'application/json, text/csv',
        'text/csv;q=x',
      ]) {
        const { status, type } = await get(`/products?store_uuid=${store}`, { accept })
        expect([accept, status, type]).toEqual([accept, 200, 'application/json; charset=utf-8'])
      }
      expect(await get('/products', csv)).toMatchObject({ status: 400, type: 'application/json; charset=utf-8' })
      expect((await get(`/assets?store_uuid=${store}`, csv)).type).toBe('application/json; charset=utf-8')
    }),
    'FORMATS-04 MUST refuse CSV of more than 2,000 columns unless some are chosen': rest(async () => {
      const attributes = Object.fromEntries(Array.from({ length: 1_999 }, (_, i) => [`A${i}`, 'x']))
      const store = await storeWithProducts(gateway, [{ productCode: 'a', attributes }])
      const refused = { status: 400, json: { data: { error_info: [{ field: 'columns' }] } } }
      expect(await get(`/products?store_uuid=${store}`, csv)).toMatchObject(refused)
      expect(await get(`/products?store_uuid=${store}`, jsonl)).toMatchObject({ status: 200 })
      const chosen = await get(`/products?store_uuid=${store}&columns=A7,product_code&columns=none`, csv)
      expect(chosen.text).toBe('A7,product_code,none\nx,a,\n')
      const many = Array.from({ length: 2_001 }, (_, i) => i).join()
      expect(await get(`/products?store_uuid=${store}&columns=${many}`, csv)).toMatchObject(refused)
      await expect(ask(gateway, 'startExport', { storeUuid: store, columns: many }, '{ jobId }')).rejects.toThrow(
        'columns must name at most 2000 columns; got 2001',
      )
    }),
    'FORMATS-10 MUST refuse columns that are no line of CSV with names': rest(async () => {
      const storeUuid = await storeWithProducts(gateway, [{ productCode: 'a', attributes: { A: 'x' } }])
      for (const columns of ['product_code,"A', '"A', '"A"x,product_code', ',', '""', 'product_code;A', 'A, "B, C"']) {
        const path = `/products?store_uuid=${storeUuid}&columns=${encodeURIComponent(columns)}`
        const details = `columns must be one or more names, separated by commas, and in quotes if they have a comma, ; or a quote; got ${JSON.stringify(columns)}`
        const refused = { status: 400, json: { data: { error_info: [{ field: 'columns', details }] } } }
        expect([columns, await get(path, csv)]).toMatchObject([columns, refused])
        await expect(ask(gateway, 'startExport', { storeUuid, columns }, '{ jobId }')).rejects.toThrow(
          'columns must be one or more names',
        )
      }
      const quoted = encodeURIComponent('"A",,"a;""b",c d')
      expect((await get(`/products?store_uuid=${storeUuid}&columns=${quoted}`, csv)).text).toBe('A,"a;""b",c d\nx,,\n')
    }),
    'FORMATS-08 MUST give CSV the same columns on all pages, whatever their products have, in one more statement': rest(
      async () => {
        const store = await storeWithProducts(gateway, [
          { productCode: 'a', attributes: { é: '1', 𝒳: '1', '\uffee': '1', Empty: '' } },
          { productCode: 'b', attributes: { 'a, "b"': 'x' } },
        ])
        await define(gateway, store, [{ name: 'Defined', type: 'TEXT' }])
        await addAssets(gateway, store, [
          'c b',
          'd b',
          ['e', 'b', { channel: 'channel_value_1', assetFormat: 'pdf' }],
          'f no-product',
        ])
        const urls = ['SMP: Image URL 1', 'SMP: Image URL 2', 'channel_value_1: PDF URL 1']
        const names = ['Defined', '"a, ""b"""', 'é', '\uffee', '𝒳']
        const header = ['product_code', 'status', ...names, ...urls].join()
        const path = `/products?store_uuid=${store}`
        for (const query of ['&limit=1', '&limit=1&offset=1', '&status=draft', '&sku_code=none', '&offset=9'])
          expect((await get(path + query, csv)).text.split('\n')[0], query).toBe(header)
        const statementsOf = async (selection: string) => {
          gateway.database.statements()
          await gateway.data(`{ productPage(storeUuid: "${store}", limit: 1) { totalProducts ${selection} } }`)
          return gateway.database.statements()
        }
        const alone = await statementsOf('')
        expect(await statementsOf('columns { attributes groups { channel urlFields } }')).toBe(alone + 1)
      },
    ),
    'FORMATS-09 MUST write CSV with a chosen delimiter, a mark and chosen columns': rest(async () => {
      const store = await storeWithProducts(gateway, [{ productCode: ' a', attributes: { 'x,y': '1;2', N: '-1' } }])
      const path = `/products?store_uuid=${store}`
      expect((await get(`${path}&bom=true&delimiter=%3B&escape_formulas=1`, csv)).text).toBe(
        '\ufeffproduct_code;status;N;"x,y"\n" a";new;\'-1;"1;2"\n',
      )
      expect((await get(`${path}&delimiter=tab&columns=${encodeURIComponent('"x,y",product_code')}`, csv)).text).toBe(
        '"x,y"\tproduct_code\n1;2\t" a"\n',
      )
      const refused = await get(`${path}&delimiter=x&bom=perhaps`, csv)
      expect(refused.json?.data.error_info).toMatchObject([{ field: 'delimiter' }, { field: 'bom' }])
    }),
    'FORMATS-05 MUST report the rows of stores in each format': rest(async () => {
      const store = await storeWithAssets(gateway, [['A', '1']])
      await gateway.call(`/v1/products?store_uuid=${store}`, { method: 'POST', body: [{ product_code: '1' }] })
      const of = `?store_uuids=${store}`
      const status = await get(`/reports/status${of}`)
      const name = (status.json?.data.rows as { store_name: string }[] | undefined)?.[0]?.store_name
      expect(status.json?.data).toEqual({ rows: [{ store_uuid: store, store_name: name, status: 'new', count: 1 }] })
      expect((await get(`/reports/status${of}`, csv)).text).toBe(
        `store_uuid,store_name,status,count\n${store},${name},new,1\n`,
      )
      const coverage = { store_uuid: store, store_name: name, channel: 'SMP', asset_format: 'image', groups: 1 }
      const [line = ''] = (await get(`/reports/coverage${of}`, jsonl)).text.split('\n')
      expect(JSON.parse(line)).toEqual({ ...coverage, products: 1 })
      const changes = await get(`/reports/changes${of}&limit=1`)
      expect(changes.json?.data.rows).toMatchObject([
        { kind: 'product', action: 'created', via: 'rest', operation: 'createProducts', items: 1, failed: 0 },
      ])
      expect((await get(`/reports/jobs${of}`)).json?.data).toEqual({ rows: [] })
      expect((await get(`/reports/failures${of}`, csv)).text).toMatch(/^store_uuid,store_name,at,.*reason\n$/)
    }),
    'FORMATS-06 MUST report several stores, and refuse what it does not know': rest(async () => {
      const stores = [await storeWithProducts(gateway, ['a']), await storeWithProducts(gateway, ['a'])]
      const list = await get(`/reports/status?store_uuids=${stores.join()}&limit=1`)
      expect(list.json?.data.rows).toMatchObject([{ store_uuid: stores[0] }])
      const repeated = await get(`/reports/status?store_uuids=${stores.join('&store_uuids=')}`)
      expect(repeated.json?.data.rows).toMatchObject(stores.map((store_uuid) => ({ store_uuid })))
      const unknown = await get('/reports/jobs?store_uuids=none', csv)
      expect(unknown).toMatchObject({
        status: 404,
        json: { data: { error_info: [{ reason: 'store_not_found', field: 'store_uuids' }] } },
      })
      for (const query of ['limit=0', 'limit=x', 'escape_formulas=yes', `store_uuids=${'x,'.repeat(100)}x`])
        expect([query, (await get(`/reports/status?${query}`)).status]).toEqual([query, 400])
      expect((await get('/reports/none')).status).toBe(404)
    }),
  }
})
