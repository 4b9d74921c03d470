import { type ExhaustingRequest, exhausting, nested, type Subject, times } from './exhausting-request.ts'

/** Of brackets: a document may have 131,072 characters, and longer ones are refused before they are looked at. */
const levels = 5_000

export const exhaustingGraphQLRequests: readonly ExhaustingRequest[] = [
  query('a list 5,000 deep', () => `{ a(b: ${nested('[', ']', levels)}) }`),
  query('5,000 brackets that never close', () => `{ a(b: ${'['.repeat(levels)}`),
  query('an object 5,000 deep', () => `{ a(b: ${nested('{a:', '}', levels, '1')}) }`),
  query('fields 5,000 deep', () => nested('{a', '}', levels)),
  query('a type 5,000 deep', () => `query ($a: ${nested('[', ']', levels, 'Int')}) { __typename }`),
  query('inline fragments 5,000 deep', () => nested('{...', '}', levels, '{__typename}')),
  query(
    '5,000 brackets after closing ones in a comment',
    () => `#${']'.repeat(levels)}\n{ a(b: ${nested('[', ']', levels)}) }`,
  ),
  query(
    '5,000 brackets after closing ones in a string',
    () => `{ a(s: "${']'.repeat(levels)}", b: ${nested('[', ']', levels)}) }`,
  ),
  query('5,000 brackets with closing ones in strings', () => `{ a(b: ${nested('["\\"]",', ']', levels)}) }`),
  query(
    '5,000 brackets with closing ones in block strings',
    () => `{ a(b: ${nested('["""\\"""]""",', ']', levels)}) }`,
  ),
  query('5,000 brackets with closing ones in comments', () => `{ a(b: ${nested('[#]\n', ']', levels)}) }`),
  ...[5_000, 1_000_000].flatMap((levels) => [
    variable(`a variable ${levels} deep`, () => nested('{"a":', '}', levels, '1')),
    variable(`a variable that is a list ${levels} deep`, () => nested('[', ']', levels)),
    storeId(`an id ${levels} deep`, () => nested('[', ']', levels)),
  ]),

  ...[500, 3_000].map((count) => query(`a chain of ${count} fragments`, () => chain(count, (next) => `...${next}`))),
  query(
    'a cycle of 1,000 fragments',
    () => `{...f0} ${times(1_000, (i) => `fragment f${i} on Query{...f${(i + 1) % 1_000}} `)}`,
  ),
  query('fragments that double 60 times', () => chain(60, (next) => `...${next} ...${next}`)),
  query(
    'a fragment that is named as if it were introspection',
    () => `{ ...__schema } fragment __schema on Query { ${nested('{a', '}', 200)} }`,
  ),
  query('6,000 aliases', () => `{${times(6_000, (i) => `a${i}:__typename `)}}`),
  query('10,000 fields', () => `{${'__typename '.repeat(10_000)}}`),
  query('3,000 fields that may conflict', () => `{${times(3_000, (i) => `a:store(storeUuid:"${i}"){storeUuid} `)}}`),
  query(
    '2,500 fragments that may conflict',
    () => `{${times(2_500, (i) => `...f${i} `)}} ${times(2_500, (i) => `fragment f${i} on Query{a:__typename} `)}`,
  ),
  query('7,000 directives', () => `{__typename ${'@skip(if:false) '.repeat(7_000)}}`),
  query('40,000 unknown directives', () => `{__typename ${'@x '.repeat(40_000)}}`),
  query('10,000 variables', () => `query(${times(10_000, (i) => `$a${i}:Int `)}){__typename}`),
  query('4,000 operations', () => times(4_000, (i) => `query q${i}{__typename} `)),
  query('10,000 unknown fields', () => `{${times(10_000, (i) => `stor${i} `)}}`),
  query('a field name of 100 KB', () => `{${'s'.repeat(100_000)}}`),
  query('an integer of 100,000 digits', () => `{stores(first:${'9'.repeat(100_000)}){totalCount}}`),
  query('a block string of 100 KB', () => `{store(storeUuid:"""${' \n'.repeat(50_000)}"""){storeUuid}}`),
  query('a comment of 100 KB', () => `#${'x'.repeat(100_000)}\n{__typename}`),
  query('a document of 700 KB', () => `{${times(50_000, (i) => `a${i}:__typename `)}}`),
  query(
    'introspection that goes in circles',
    () => `{__schema{types{fields${nested('{type{fields', '}}', 40, '{name}')}}}}`,
  ),
  query('types that go in circles', () => `{__type(name:"Store")${nested('{fields{type', '}}', 40, '{name}')}}`),
  storeId('an id of 5 MB', () => `"${'s'.repeat(5_000_000)}"`),
  operation(
    'the faults of an id of 100 KB, 1,000 times',
    `query ($s: ID!) {${times(1_000, (i) => `a${i}:assetGroups(storeUuid:$s){totalGroups} `)}}`,
    () => `"s":"${'s'.repeat(100_000)}"`,
  ),
  operation(
    '1,000,000 channels',
    `mutation ($c: [String!]!) { createStore(input: { storeName: "a", storeTaxonomy: "brand", region: [], channels: $c,
      defaultAutomation: [] }) { storeUuid } }`,
    () => `"c":[${'"",'.repeat(1_000_000)}""]`,
  ),
  operation(
    '1,000,000 asset ids',
    'mutation ($s: [AssetSelector!]!) { deleteAssets(selectors: $s) { failed errorInfo { details } } }',
    ({ store }) => `"s":[{"storeUuid":"${store}","assetId":[${times(1_000_000, (i) => `"${i.toString(36)}"`, ',')}]}]`,
  ),
]

function chain(count: number, spreads: (next: string) => string): string {
  const fragments = times(count, (i) => `fragment f${i} on Query{${spreads(`f${i + 1}`)}} `)
  return `{...f0} ${fragments} fragment f${count} on Query{__typename}`
}

function query(name: string, document: () => string): ExhaustingRequest {
  return exhausting(name, 'POST /graphql', () => JSON.stringify({ query: document() }))
}

/** `variables` are the members of a JSON object. */
function operation(name: string, document: string, variables: (subject: Subject) => string): ExhaustingRequest {
  const body = (subject: Subject) => `{"query":${JSON.stringify(document)},"variables":{${variables(subject)}}}`
  return exhausting(name, 'POST /graphql', body)
}

/** A document with a variable that takes any JSON. */
function variable(name: string, json: () => string): ExhaustingRequest {
  const document = `mutation ($v: AttributeMap, $s: ID!, $code: String!) {
    updateProducts(storeUuid: $s, products: [{ productCode: $code, attributes: $v }]) { updatedSkus } }`
  return operation(name, document, ({ store, code }) => `"s":"${store}","code":"${code}","v":${json()}`)
}

function storeId(name: string, json: () => string): ExhaustingRequest {
  return operation(name, 'query ($s: ID!) { store(storeUuid: $s) { storeUuid } }', () => `"s":${json()}`)
}
