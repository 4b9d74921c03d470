import fc from 'fast-check'
import { bytesOf } from './json-text.ts'

/* What is known to break services, as bytes: each character of these texts is one byte on the wire. */

const deep = (open: string, close: string, levels: number) => open.repeat(levels) + close.repeat(levels)
const quoted = (text: string) => bytesOf(JSON.stringify(text))

/** JSON values, and texts that only look like one. */
const values = [
  ...['null', 'true', 'false', '0', '-0', '-1', '1.5', '1e3', '1e400', '-1e400', '5e-324', '9007199254740993'],
  ...['99999999999999999999999999', '2147483648', '-2147483649', '[]', '{}', '[[]]', '[null]', '[{}]', '{"a":null}'],
  ...['""', '" "', '"null"', '"0"', '"\\u0000"', '"a\\u0000b"', '"\\ud800"', '"\\udfff\\ud800"', '"\\ud83d\\ude00"'],
  ...['"\\u202e\\u200b\\ufeff"', '"__proto__"', '"constructor"', '"prototype"', '"toString"', '"%00"'],
  ...['"\'; drop table store; --"', '"{1,2}"', '"\\\\"', '"{{7*7}}"', '"x\\r\\nX-Injected: 1"'],
  ...['"00000000-0000-0000-0000-000000000000"', '"urn:uuid:00000000-0000-0000-0000-000000000000"', '["SMP","SMP"]'],
  ...['[1,"a",null,[],{}]', '{"__proto__":{"x":1}}', '{"constructor":{"prototype":{"x":1}}}'],
  ...['{"toString":1,"valueOf":2,"hasOwnProperty":3,"then":4,"length":5}', quoted('ÄÖ😀 straße İ ﬃ')],
  ...[quoted('x'.repeat(256)), quoted('😀'.repeat(256)), quoted('k'.repeat(20_000)), quoted('v'.repeat(65_536))],
  `{${quoted('k'.repeat(20_000))}:1}`,
  deep('[', ']', 5_000),
  deep('{"a":', '}', 5_000).replace('{"a":}', '{"a":1}'),
  // No JSON from here on.
  ...['', 'undefined', 'NaN', 'Infinity', '-', '01', '+1', '.5', '1.', '0x10', "'a'", '"', '"\\"', '"\\x41"'],
  ...['"\\u12"', '"\t"', '"\n"', '"\0"', '\0', '[', ']', '{', '[1,]', '{"a":1,}', '{a:1}', '/**/1', '1 2', '\xff'],
  ...['"\xff\xfe"', '"\xc0\xaf"', '"\xed\xa0\x80"', '"\xf4\x90\x80\x80"', '"\xe2\x82"'],
]

export const hostileValue: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...values) },
  { weight: 1, arbitrary: fc.json().map(bytesOf) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }).map(quoted) },
  { weight: 1, arbitrary: fc.double().map(String) },
)

export const hostileBody: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: hostileValue },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...[' ', '\xef\xbb\xbf[]', '\xef\xbb\xbf{}', '\xff\xfe[\0]\0', '[][]', '[{"product_code":"A"}'],
      ...['[{"product_code":"A"}]x', '{"query":"{__typename}"}', 'query={__typename}', '<?xml version="1.0"?><a/>'],
      ...['--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--'],
    ),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('latin1')) },
)

/** The value of a query parameter as the request target has it. */
export const hostileParameter: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      ...['', '+', '%20', '0', '-0', '-1', '00', '+1', '%2B1', '1.0', '1e1', '1e20', '0x10', '1_000', '%D9%A3'],
      ...['2147483647', '2147483648', '9007199254740993', '99999999999999999999999', '9'.repeat(400), 'NaN'],
      ...['Infinity', 'null', 'undefined', 'true', 'TRUE', 'image', 'IMAGE', '3D', 'SMP', '__proto__', '%00'],
      ...['a%00b', '%', '%2', '%zz', '%ff', '%c0%af', '%ed%a0%80', '%F0%9F%98%80', '%E2%80%AE'],
      ...['%0d%0aX-Injected:%201', '%27%20or%201=1--', '00000000-0000-0000-0000-000000000000', '%5B%5D', 'a=b=c'],
      ...[';', '\xff', '\xc3\xa4', '"', '<script>', 'x'.repeat(6_000)],
    ),
  },
  { weight: 1, arbitrary: fc.webQueryParameters({ size: 'small' }) },
  { weight: 1, arbitrary: fc.integer().map(String) },
)

export const hostilePath: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      ...['/', '/v1', '/v1/', '/v1/assets/', '/v1/Assets', '/V1/assets', '/v1//assets', '//v1/assets'],
      ...['/v1/assets%2Funlink', '/v1/%61ssets', '/v1/assets;a=1', '/v1/assets%00', '/v1/assets#x'],
      ...['/v1/../v1/assets', '/v1/..%2f..%2fetc/passwd', '/v1/assets/unlink/', '/v1/__proto__', '/v1/constructor'],
      ...['/v1/toString', '/v1/%', '/v1/\xff\xfe', '/v1/\xc3\xa4', '/v1/"<>\\^`{|}'],
      `/v1/${'x'.repeat(12_000)}`,
      ...['/v1?x', '/v11', '/v2/assets', '/health', '/ready', '/HEALTH', '/favicon.ico', '*'],
      ...['http://other.example/v1/assets', 'HTTPS://u:p@[::1]:1/v1/assets', 'http://other.example'],
      ...['ftp://other.example/v1/assets', 'other.example:443'],
    ),
  },
  { weight: 1, arbitrary: fc.webPath().map((path) => `/v1${path}`) },
  { weight: 1, arbitrary: fc.constantFrom('/v1/ assets', '/v1/\tassets', '/v1/\0', '', 'v1/assets', '/v1/a b?c d') },
)

export const hostileMethod: fc.Arbitrary<string> = fc.constantFrom(
  ...['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'PROPFIND', 'QUERY', 'M-SEARCH', 'PURGE'],
  ...['LINK', 'SOURCE', 'get', 'FOO', 'GETT', '', 'G\0T', '\xff', 'PRI'],
)
