import { stores } from './data.ts'

/** A question of a dashboard: `$value` differs each time. */
export interface Question {
  title: string
  /** p50 in ms. */
  target: number
  value: (i: number) => string
  document: string
  /** `$1` is the store, `$2` the value. */
  byHand: string
  /** PostGraphile filters JSON by what it contains; it has no order and no facets by what is in it. */
  postGraphile?: string
}

const product = 'productCode status attributes updatedAt'
const head = (fields: string) => (fields.includes('$value') ? 'query ($value: String!)' : 'query')
const ours = (fields: string) => `${head(fields)} { store(storeUuid: "${stores.dashboards}") { ${fields} } }`
const theirs = (filter: string, fields: string, args = '') => `${head(filter)} { allProducts(${args} filter: {
  storeUuid: { equalTo: "${stores.dashboards}" } ${filter} }) { ${fields} } }`
const listed = (rest: string) =>
  `select product_code, status, attributes, updated_at from product where store_uuid = $1 ${rest}`
const counted = (rest: string) => `select count(*) from product where store_uuid = $1 ${rest}`

const always = () => ''
/** Parts of the codes of some 30 products, and of a tenth of all. */
const rare = (i: number) => String((i * 7_919) % 10_000).padStart(5, '0')
const common = (i: number) => `${i % 10}9`
/** What the codes of 10,000 products begin with. */
const prefix = (i: number) => `SKU-00${i % 2}`
const brand = (i: number) => `Brand ${(i * 7) % 300}`
const size = (i: number) => String((i * 7) % 50)
const brandOf = 'attributes: { contains: { Brand: $value } }'

/** The last ones are about attributes: the gateway refuses them for a store of this size unless they are declared. */
export const questions: readonly Question[] = [
  {
    title: 'page of 50',
    target: 50,
    value: always,
    document: ours(`products(first: 50) { nodes { ${product} } }`),
    byHand: listed('order by product_code limit 50'),
    postGraphile: theirs('', `nodes { ${product} }`, 'first: 50, orderBy: PRODUCT_CODE_ASC'),
  },
  {
    title: 'page: status',
    target: 50,
    value: always,
    document: ours(`products(first: 50, filter: { status: [DRAFT] }) { nodes { ${product} } }`),
    byHand: listed(`and status = 'draft' order by product_code limit 50`),
    postGraphile: theirs(
      'status: { equalTo: "draft" }',
      `nodes { ${product} }`,
      'first: 50, orderBy: PRODUCT_CODE_ASC',
    ),
  },
  {
    title: 'page: status, beginning of the code, time',
    target: 50,
    value: prefix,
    document: ours(`products(first: 50, filter: {
      status: [DRAFT], codePrefix: $value, createdAt: { from: "2026-01-01T00:00:00Z" } }) { nodes { ${product} } }`),
    byHand: listed(`and status = 'draft' and starts_with(product_code, $2) and product_code >= $2
      and created_at >= '2026-01-01T00:00:00Z' order by product_code limit 50`),
    postGraphile: theirs(
      `status: { equalTo: "draft" }, productCode: { startsWith: $value },
      createdAt: { greaterThanOrEqualTo: "2026-01-01T00:00:00Z" }`,
      `nodes { ${product} }`,
      'first: 50, orderBy: PRODUCT_CODE_ASC',
    ),
  },
  {
    title: 'page in the order of updatedAt',
    target: 50,
    value: always,
    document: ours(`products(first: 50, orderBy: { field: UPDATED_AT, direction: DESC }) { nodes { ${product} } }`),
    byHand: listed('order by updated_at desc, product_code desc limit 50'),
    postGraphile: theirs('', `nodes { ${product} }`, 'first: 50, orderBy: UPDATED_AT_DESC'),
  },
  {
    title: 'totalCount',
    target: 20,
    value: always,
    document: ours('products(first: 0) { totalCount }'),
    byHand: counted(''),
    postGraphile: theirs('', 'totalCount'),
  },
  {
    title: 'totalCount: status',
    target: 20,
    value: always,
    document: ours('products(first: 0, filter: { status: [DRAFT] }) { totalCount }'),
    byHand: counted(`and status = 'draft'`),
    postGraphile: theirs('status: { equalTo: "draft" }', 'totalCount'),
  },
  {
    title: 'totalCount: status, beginning of the code',
    target: 300,
    value: prefix,
    document: ours('products(first: 0, filter: { status: [DRAFT], codePrefix: $value }) { totalCount }'),
    byHand: counted(`and status = 'draft' and starts_with(product_code, $2) and product_code >= $2`),
    postGraphile: theirs('status: { equalTo: "draft" }, productCode: { startsWith: $value }', 'totalCount'),
  },
  ...[
    { title: 'rare', value: rare, totalCount: 'totalCount', count: ', count(*) over ()' },
    { title: 'common', value: common, totalCount: '', count: '' },
  ].map(({ title, value, totalCount, count }) => ({
    title: `search for a ${title} part of codes${totalCount && ', with totalCount'}`,
    target: 50,
    value,
    document: ours(`products(first: 50, filter: { search: $value }) { ${totalCount} nodes { ${product} } }`),
    byHand: `select product_code, status, attributes, updated_at${count} from product
      where store_uuid = $1 and product_code collate "default" ilike '%' || $2 || '%' order by product_code limit 50`,
    postGraphile: theirs(
      'productCode: { includesInsensitive: $value }',
      `${totalCount} nodes { ${product} }`,
      'first: 50, orderBy: PRODUCT_CODE_ASC',
    ),
  })),
  {
    title: 'productCounts of 100 stores',
    target: 20,
    value: always,
    document: '{ stores(first: 100, filter: { search: "Store of 20" }) { nodes { productCounts { status count } } } }',
    byHand: `select p.store_uuid, p.status, count(*) from product p where p.store_uuid <> $1 and p.store_uuid = any(array(
      select store_uuid from store where store_name ilike '%Store of 20%' order by store_uuid limit 100)) group by 1, 2`,
  },
  {
    title: 'page: a status that no product has',
    target: 50,
    value: always,
    document: ours(`products(first: 50, filter: { status: [PROBLEM] }) { nodes { ${product} } }`),
    byHand: listed(`and status = 'problem' order by product_code limit 50`),
    postGraphile: theirs(
      'status: { equalTo: "problem" }',
      `nodes { ${product} }`,
      'first: 50, orderBy: PRODUCT_CODE_ASC',
    ),
  },
  ...[
    { field: 'createdAt', name: 'CREATED_AT', column: 'created_at' },
    { field: 'updatedAt, the oldest first', name: 'UPDATED_AT', column: 'updated_at' },
    { field: 'status', name: 'STATUS', column: 'status' },
  ].map(({ field, name, column }) => ({
    title: `page in the order of ${field}`,
    target: 50,
    value: always,
    document: ours(`products(first: 50, orderBy: { field: ${name} }) { nodes { ${product} } }`),
    byHand: listed(`order by ${column}, product_code limit 50`),
    postGraphile: theirs('', `nodes { ${product} }`, `first: 50, orderBy: ${name}_ASC`),
  })),
  {
    title: 'page: attribute',
    target: 50,
    value: brand,
    document: ours(
      `products(first: 50, filter: { attributes: [{ name: "Brand", eq: $value }] }) { nodes { ${product} } }`,
    ),
    byHand: listed(`and attributes ->> 'Brand' = $2 order by product_code limit 50`),
    postGraphile: theirs(brandOf, `nodes { ${product} }`, 'first: 50, orderBy: PRODUCT_CODE_ASC'),
  },
  ...[
    { title: 'Brand', filter: '{ name: "Brand", eq: $value }', sql: `attributes ->> 'Brand' = $2`, value: brand },
    { title: 'Size', filter: '{ name: "Size", eq: $value }', sql: `attributes ->> 'Size' = $2`, value: size },
  ].map(({ title, filter, sql, value }) => ({
    title: `page: ${title}, in the order of Price`,
    target: 50,
    value,
    document: ours(`products(first: 50, orderBy: { field: ATTRIBUTE, attribute: "Price" }, filter: {
      attributes: [${filter}] }) { nodes { ${product} } }`),
    byHand: listed(`and ${sql} order by (attributes ->> 'Price')::numeric, product_code limit 50`),
  })),
  {
    title: 'page: two attributes, in the order of a third one',
    target: 50,
    value: brand,
    document: ours(`products(first: 50, orderBy: { field: ATTRIBUTE, attribute: "Price" }, filter: {
      attributes: [{ name: "Brand", eq: $value }, { name: "Size", eq: "10" }] }) { nodes { ${product} } }`),
    byHand: listed(`and attributes ->> 'Brand' = $2 and attributes ->> 'Size' = '10'
      order by (attributes ->> 'Price')::numeric, product_code limit 50`),
  },
  {
    title: 'totalCount: attribute',
    target: 20,
    value: brand,
    document: ours('products(first: 0, filter: { attributes: [{ name: "Brand", eq: $value }] }) { totalCount }'),
    byHand: counted(`and attributes ->> 'Brand' = $2`),
    postGraphile: theirs(brandOf, 'totalCount'),
  },
  {
    title: 'totalCount: two attributes',
    target: 300,
    value: brand,
    document: ours(`products(first: 0, filter: {
      attributes: [{ name: "Brand", eq: $value }, { name: "Size", eq: "10" }] }) { totalCount }`),
    byHand: counted(`and attributes ->> 'Brand' = $2 and attributes ->> 'Size' = '10'`),
    postGraphile: theirs('attributes: { contains: { Brand: $value, Size: "10" } }', 'totalCount'),
  },
  {
    title: 'totalCount: two wide ranges',
    target: 300,
    value: size,
    document: ours(`products(first: 0, filter: {
      attributes: [{ name: "Price", gt: $value }, { name: "Stock", gt: "20" }] }) { totalCount }`),
    byHand: counted(
      `and (attributes ->> 'Price')::numeric > $2::text::numeric and (attributes ->> 'Stock')::numeric > 20`,
    ),
  },
  {
    title: 'facet',
    target: 20,
    value: always,
    document: ours('facets(names: ["Brand"]) { distinct missing values { value count } }'),
    byHand: `select attributes ->> 'Brand', count(*) from product where store_uuid = $1 group by 1 order by 2 desc`,
  },
  {
    title: 'facet under a filter',
    target: 300,
    value: always,
    document: ours(`facets(names: ["Brand"], filter: { attributes: [{ name: "Size", eq: "10" }] }) {
      distinct missing values { value count } }`),
    byHand: `select attributes ->> 'Brand', count(*) from product where store_uuid = $1 and attributes ->> 'Size' = '10'
      group by 1 order by 2 desc`,
  },
]
