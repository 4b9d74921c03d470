import fc from 'fast-check'
import { token } from '../../support/servers/gateway.ts'
import { hostileMethod } from './hostile.ts'
import { type Framing, type Header, lies } from './wire-request.ts'

export function methods(usual: string): fc.Arbitrary<string> {
  return fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: hostileMethod })
}

export const versions: fc.Arbitrary<string> = fc.oneof(
  { weight: 60, arbitrary: fc.constant('1.1') },
  { weight: 2, arbitrary: fc.constant('1.0') },
  { weight: 1, arbitrary: fc.constantFrom('2.0', '0.9', '1.2', '9', '') },
)

export const framings: fc.Arbitrary<Framing> = fc.oneof(
  { weight: 20, arbitrary: fc.constant<Framing>('length') },
  { weight: 3, arbitrary: fc.constant<Framing>('chunked') },
  { weight: 1, arbitrary: fc.constantFrom<Framing>(...lies) },
)

/** No header, or one of these, or one that comes twice. */
function header(name: string, weightOfNone: number, values: readonly string[]): fc.Arbitrary<Header[]> {
  return fc.oneof(
    { weight: weightOfNone, arbitrary: fc.constant<Header[]>([]) },
    { weight: 10, arbitrary: fc.constantFrom(...values).map((value): Header[] => [[name, value]]) },
  )
}

const authorization = fc.oneof(
  { weight: 20, arbitrary: fc.constant<Header[]>([['Authorization', `Bearer ${token}`]]) },
  {
    weight: 1,
    arbitrary: header('Authorization', 2, [
      ...['', 'Bearer', 'Bearer ', token, `bearer ${token}`, `Bearer  ${token}`, `Bearer ${token} x`],
      ...[`Bearer ${token}x`, `Basic ${token}`, 'Bearer \xff\xfe', "Bearer ' or 1=1 --"],
      ...[`Bearer ${'x'.repeat(8_000)}`, `Bearer ${token}, Bearer other`],
    ]),
  },
)

const requestIds = header('X-Request-Id', 8, [
  ...['a', '0', 'null', 'undefined', '__proto__', '1b4e28ba-2fa1-11d2-883f-0016d3cca427', 'two words\tand a tab'],
  ...['  padded  ', '"\\quoted\\"', '{"a":1}', '<script>alert(1)</script>', '%0d%0aX-Injected: 1', 'x'.repeat(256)],
  ...['x'.repeat(257), 'x'.repeat(5_000)],
  Buffer.from('😀'.repeat(256)).toString('latin1'),
  Buffer.from('😀'.repeat(257)).toString('latin1'),
  Buffer.from('Ä\u2028\u202e').toString('latin1'),
  '\xff\xfe\x80',
  '',
  '   ',
  'nul\0nul',
  'del\x7f',
  'cr\rlf',
])

const others = fc.oneof(
  { weight: 10, arbitrary: fc.constant<Header[]>([]) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Header[]>(
      [
        ['X-Request-Id', 'one'],
        ['X-Request-Id', 'two'],
      ],
      [['Content-Encoding', 'gzip']],
      [['Content-Encoding', 'identity']],
      [['Connection', 'close']],
      [['Connection', 'keep-alive, Authorization']],
      [['Cookie', 'a=b; a=c; __proto__=1']],
      [['X-HTTP-Method-Override', 'DELETE']],
      [['X-Forwarded-For', '1.2.3.4']],
      [['X-Original-URL', '/v1/stores']],
      [['Forwarded', 'for=x;host="y']],
      [['Range', 'bytes=0-1,5-']],
      [['If-None-Match', '*']],
      [['TE', 'trailers, deflate;q=0.5']],
      [['Trailer', 'Content-Length']],
      [['__proto__', 'x']],
      [['constructor', 'x']],
      [['X-Big', 'x'.repeat(14_000)]],
      [['X-Huge', 'x'.repeat(20_000)]],
      [['Bad Name', 'x']],
      [['X-Bytes', '\x01']],
    ),
  },
)

/** Header lines: usually a good token and type, and what is asked for in addition. */
export function headers(types: readonly string[], accepts: readonly string[]): fc.Arbitrary<Header[]> {
  const [usual = ''] = types
  const contentType = fc.oneof(
    { weight: 15, arbitrary: fc.constant<Header[]>([['Content-Type', usual]]) },
    { weight: 1, arbitrary: header('Content-Type', 2, types) },
  )
  const accept = header('Accept', 20, accepts)
  return fc.tuple(authorization, contentType, accept, requestIds, others).map((groups) => groups.flat())
}
