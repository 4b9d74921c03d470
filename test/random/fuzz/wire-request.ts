/** A request as it goes over the wire, and what the check of its answer has to know of it. */
export interface WireRequest {
  api: 'rest' | 'graphql'
  method: string
  target: string
  headers: readonly Header[]
  /** What the answer's request id must be; undefined for a UUID. */
  requestId: string | undefined
  /** Whether it is HTTP: then it must be answered as what it is, once, and the connection can go on. */
  isHttp: boolean
  /** Whether more bytes are announced than come, so that the sender has to say that it is done. */
  isCutShort: boolean
  bytes: string
}

export type Header = readonly [name: string, value: string]

/** How a request states the length of its body; all but the first two are wrong or nonsense. */
export type Framing = 'length' | 'chunked' | (typeof lies)[number]

export const lies = [
  ...['too long', 'too short', 'two lengths', 'length and chunks', 'negative', 'not a number', 'huge', 'bad chunk'],
  ...['no last chunk', 'gzip', 'unframed'],
] as const

export interface Parts {
  api: WireRequest['api']
  method: string
  target: string
  version: string
  headers: readonly Header[]
  body: string | undefined
  framing: Framing
}

export function wireRequest({ api, method, target, version, headers, body, framing }: Parts): WireRequest {
  const lines = [['Host', 'gateway'] as const, ...headers, ...(body === undefined ? [] : framingHeaders(framing, body))]
  const head = [`${method} ${target} HTTP/${version}`, ...lines.map(([name, value]) => `${name}: ${value}`)]
  const lied = body !== undefined && framing !== 'length' && framing !== 'chunked'
  return {
    api,
    method,
    target,
    headers: lines,
    requestId: expectedId(lines),
    isHttp: !lied && isHead(method, target, version, lines),
    isCutShort: lied && (framing === 'too long' || framing === 'huge' || framing === 'no last chunk'),
    bytes: `${head.join('\r\n')}\r\n\r\n${body === undefined ? '' : framed(framing, body)}`,
  }
}

/** What Node takes for HTTP, which is stricter than some senders: a target has no bytes beyond ASCII. */
const known = /^(GET|HEAD|POST|PUT|DELETE|OPTIONS|PATCH|TRACE|PROPFIND|QUERY|M-SEARCH|PURGE|LINK|SOURCE)$/
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/

function isHead(method: string, target: string, version: string, headers: readonly Header[]): boolean {
  return (
    known.test(method) &&
    /^([/*]|[a-z][a-z0-9+.-]*:\/\/)/i.test(target) &&
    /^[!-~]+$/.test(target) &&
    (version === '1.1' || version === '1.0') &&
    headers.every(([name, value]) => /^[\w-]+$/.test(name) && headerValue.test(value)) &&
    headers.reduce((size, [name, value]) => size + name.length + value.length + 4, target.length) < 16_000
  )
}

function framingHeaders(framing: Framing, body: string): Header[] {
  switch (framing) {
    case 'length':
      return [['Content-Length', `${body.length}`]]
    case 'chunked':
    case 'bad chunk':
    case 'no last chunk':
      return [['Transfer-Encoding', 'chunked']]
    case 'too long':
      return [['Content-Length', `${body.length + 10}`]]
    case 'too short':
      return [['Content-Length', `${Math.max(0, body.length - 3)}`]]
    case 'two lengths':
      return [
        ['Content-Length', `${body.length}`],
        ['Content-Length', `${body.length + 1}`],
      ]
    case 'length and chunks':
      return [
        ['Content-Length', `${body.length}`],
        ['Transfer-Encoding', 'chunked'],
      ]
    case 'negative':
      return [['Content-Length', `-${body.length}`]]
    case 'not a number':
      return [['Content-Length', `0x${body.length}`]]
    case 'huge':
      return [['Content-Length', '99999999999999']]
    case 'gzip':
      return [['Transfer-Encoding', 'gzip']]
    case 'unframed':
      return []
    default:
      return framing satisfies never
  }
}

function framed(framing: Framing, body: string): string {
  const half = Math.floor(body.length / 2)
  const chunk = (part: string) => (part === '' ? '' : `${part.length.toString(16)}\r\n${part}\r\n`)
  const chunks = chunk(body.slice(0, half)) + chunk(body.slice(half))
  if (framing === 'chunked') return `${chunks}0\r\n\r\n`
  if (framing === 'no last chunk') return chunks
  if (framing === 'bad chunk') return `zz\r\n${body}\r\n0\r\n\r\n`
  return body
}

/** What decisions.md makes of `X-Request-Id`: 1 to 256 characters are echoed. */
function expectedId(headers: readonly Header[]): string | undefined {
  const sent = headers.filter(([name]) => name.toLowerCase() === 'x-request-id').map(([, value]) => trimmed(value))
  if (sent.length === 0) return undefined
  const bytes = Buffer.from(sent.join(', '), 'latin1')
  const text = bytes.toString().includes('\ufffd') ? bytes.toString('latin1') : bytes.toString()
  return text !== '' && [...text].length <= 256 ? text : undefined
}

function trimmed(value: string): string {
  return value.replace(/^[\t ]+|[\t ]+$/g, '')
}
