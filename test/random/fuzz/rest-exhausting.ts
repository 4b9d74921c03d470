import { type ExhaustingRequest, exhausting, nested, type Subject, times } from './exhausting-request.ts'

export const exhaustingRestRequests: readonly ExhaustingRequest[] = [
  ...[5_000, 1_000_000].flatMap((levels) => [
    products(`lists ${levels} deep`, () => nested('[', ']', levels)),
    products(`lists ${levels} deep that never close`, () => '['.repeat(levels)),
    products(`objects ${levels} deep`, () => nested('{"a":', '}', levels, '1')),
    products(
      `an attribute ${levels} deep`,
      ({ code }) => `[{"product_code":"${code}","a":${nested('[', ']', levels)}}]`,
    ),
    products(`a product code ${levels} deep`, () => `[{"product_code":${nested('{"a":', '}', levels, '1')}}]`),
    newStore(`a channel ${levels} deep`, () => `"channels":[${nested('[', ']', levels)}]`),
    remove(
      `an asset id ${levels} deep`,
      ({ store }) => `[{"store_uuid":"${store}","asset_id":${nested('[', ']', levels)}}]`,
    ),
  ]),

  products('10,000 products', () => `[${times(10_000, (i) => `{"product_code":"p${i}"}`, ',')}]`),
  products('10,001 products', () => `[${times(10_001, (i) => `{"product_code":"p${i}"}`, ',')}]`),
  products('3,000,000 items', () => `[${'1,'.repeat(3_000_000)}1]`),
  products('10,000 items that are none', () => `[${'1,'.repeat(9_999)}1]`),
  products(
    '100,000 bad attributes',
    ({ code }) => `[{"product_code":"${code}",${times(100_000, (i) => `"${i}":1`, ',')}}]`,
  ),
  products(
    '50,000 attributes',
    ({ code }) => `[{"product_code":"${code}",${times(50_000, (i) => `"a${i}":"x"`, ',')}}]`,
  ),
  products('one key 400,000 times', () => `[{${times(400_000, () => '"product_code":"a"', ',')}}]`),
  products('an attribute name of 5 MB', ({ code }) => `[{"product_code":"${code}","${'n'.repeat(5_000_000)}":1}]`),
  products('a product code of 5 MB', () => `[{"product_code":"${'c'.repeat(5_000_000)}"}]`),
  products('10 MiB of spaces', () => ' '.repeat(10 * 1024 * 1024)),
  products('a number of 5,000,000 digits', () => `[{"product_code":${'9'.repeat(5_000_000)}}]`),

  newStore('3,000,000 channels', () => `"channels":[${'"",'.repeat(3_000_000)}""]`),
  newStore('10,000 channels that are none', () => `"channels":[${'"",'.repeat(9_999)}""]`),
  newStore('a channel of 5 MB', () => `"channels":["${'c'.repeat(5_000_000)}"]`),
  newStore('a web site of 5 MB', () => `"channels":[],"store_website":"${'😀'.repeat(1_250_000)}"`),

  remove('1,000,000 asset ids', ({ store }) => `[{"store_uuid":"${store}","asset_id":[${ids(1_000_000)}]}]`),
  remove(
    '1,000,000 asset ids in 1,000 items',
    ({ store }) => `[${times(1_000, () => `{"store_uuid":"${store}","asset_id":[${ids(1_000)}]}`, ',')}]`,
  ),
  remove(
    '3,000,000 asset ids that are none',
    ({ store }) => `[{"store_uuid":"${store}","asset_id":[${'1,'.repeat(3_000_000)}1]}]`,
  ),
  remove(
    '10,000 asset ids of a store of 9 MB',
    () => `[{"store_uuid":"${'s'.repeat(9_000_000)}","asset_id":[${ids(10_000)}]}]`,
  ),
  unlink(
    '10,000 asset ids of a parent code of 9 MB',
    ({ store }) =>
      `[{"store_uuid":"${store}","channel":"SMP","parent_code":"${'c'.repeat(9_000_000)}","asset_id":[${ids(10_000)}]}]`,
  ),
  place(
    '10,000 bad URLs of a parent code of 9 MB',
    () => `[{"parent_code":"${'c'.repeat(9_000_000)}","assets":{${times(10_000, (i) => `"Image URL ${i}":""`, ',')}}}]`,
  ),
  place(
    '100,000 assets of one group',
    ({ code }) => `[{"parent_code":"${code}","assets":{${urls(100_000, 'a://b')}}}]`,
  ),
  create(
    '50,000 assets of 10,000 products',
    () => `[${times(10_000, (i) => `{"product_code":"n${i}",${urls(5, `a://b/${i}`)}}`, ',')}]`,
  ),
  create('20,000 assets of one product', () => `[{"product_code":"heavy",${urls(20_000, 'a://b')}}]`),
  unlink('10,000 items without any field', () => `[${'{},'.repeat(9_999)}{}]`),
]

type Body = (subject: Subject) => string

function products(name: string, body: Body): ExhaustingRequest {
  return exhausting(name, 'PUT /v1/products?store_uuid=STORE', body)
}

function newStore(name: string, fields: () => string): ExhaustingRequest {
  const start = '{"store_name":"a","store_taxonomy":"brand","region":[],"default_automation":[]'
  return exhausting(name, 'POST /v1/stores', () => `${start},${fields()}}`)
}

function remove(name: string, body: Body): ExhaustingRequest {
  return exhausting(name, 'DELETE /v1/assets', body)
}

function place(name: string, body: Body): ExhaustingRequest {
  return exhausting(name, 'POST /v1/assets?store_uuid=STORE', body)
}

function create(name: string, body: Body): ExhaustingRequest {
  return exhausting(name, 'POST /v1/products?store_uuid=STORE', body)
}

function unlink(name: string, body: Body): ExhaustingRequest {
  return exhausting(name, 'POST /v1/assets/unlink', body)
}

function ids(count: number): string {
  return times(count, (i) => `"${i.toString(36)}"`, ',')
}

function urls(count: number, start: string): string {
  return times(count, (i) => `"Image URL ${i + 1}":"${start}/${i}"`, ',')
}
