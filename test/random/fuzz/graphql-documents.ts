import fc from 'fast-check'
import { bytesOf } from './json-text.ts'

const token = /\.{3}|"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|[A-Za-z_]\w*|-?\d+(?:\.\d+)?|\s+|./g

const hostileTokens = [
  ...['{', '}', '(', ')', '[', ']', '!', '$', '@', '...', '&', '|', '=', ':', ',', '"', '"""', '\\', '#', '.', '?'],
  ...['\0', '\x07', '\x7f', '\xff', '\xed\xa0\x80', '\xef\xbb\xbf', '\xf0\x9f\x98\x80', '\r', '\t'],
  ...['null', 'true', '0', '-0', '00', '1.0', '1e999', '2147483648', '99999999999999999999999', '0x1', '1.', '-'],
  ...['""', '"\\u0000"', '"\\uD800"', '"\\u{110000}"', '"\\u{1F600}"', '"\\x"', '"""\\u0000"""', '"""', 'ENUM'],
  ...['{}', '[]', '__typename', '__schema { types { name } }', '__type(name: "Store") { name }', '__proto__'],
  ...['on', 'fragment', 'query', 'mutation', 'subscription', 'schema', 'type', 'extend', 'input', 'interface'],
  ...[
    'constructor',
    'toString',
    'a: __typename',
    'storeUuid: storeName',
    '{ __typename }',
    '... on Store { storeUuid }',
  ],
  ...['@skip(if: true)', '@include(if: $x)', '@include(if: "yes")', '@deprecated', '@defer', '@stream', '@oneOf', '@x'],
  ...['$__proto__', '$s', '$s: ID!', '$x: Unknown', '$x: [[[Int!]!]!]!', '...Names', '...__schema'],
  ...['fragment Names on Store { ...Names }', 'query Deep { __typename }'],
  ...['['.repeat(60), '{'.repeat(60), '{a'.repeat(200), '['.repeat(5_000), '__typename '.repeat(500)],
  ...['@skip(if: false) '.repeat(200), `"${'x'.repeat(20_000)}"`, 'x'.repeat(20_000), '9'.repeat(5_000)],
]

/** The document with up to four of its tokens changed; in UTF-8. */
export function documents(document: string): fc.Arbitrary<string> {
  const change = fc.record({
    kind: fc.constantFrom('replace', 'drop', 'insert', 'double', 'move', 'cut'),
    at: fc.nat(),
    to: fc.nat(),
    text: fc.constantFrom(...hostileTokens),
  })
  const tokens = bytesOf(document).match(token) ?? []
  return fc.array(change, { maxLength: 4 }).map((changes) => {
    const all = [...tokens]
    for (const { kind, at, to, text } of changes) {
      const i = at % (all.length || 1)
      const here = all[i] ?? ''
      if (kind === 'replace') all[i] = ` ${text} `
      else if (kind === 'drop') all.splice(i, 1)
      else if (kind === 'insert') all.splice(i, 0, ` ${text} `)
      else if (kind === 'double') all.splice(i, 0, here, ' ')
      else if (kind === 'move') all.splice(to % (all.length || 1), 0, ` ${here} `)
      else if (at % 5 === 0) all.splice(i)
    }
    return all.join('')
  })
}
