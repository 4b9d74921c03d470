import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createMemoryBudget } from '../../src/fair-share/memory-budget.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { HttpError } from '../../src/request/http-error.ts'
import { openWire, answerTo as sendBytes, type WireAnswer } from '../support/clients/wire.ts'
import { newStore, storeBody } from '../support/factories.ts'
import { keptLog } from '../support/log.ts'
import { token, useGateway } from '../support/servers/gateway.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const authorization = `Authorization: Bearer ${token}`
const good = `GET /v1/assets HTTP/1.1\r\nHost: gateway\r\n${authorization}\r\n\r\n`

const { lines: logged, log } = keptLog()
const gateway = useGateway({ log })

const answerTo = (bytes: string) => sendBytes(gateway.url, bytes)

function errorOf(answer: WireAnswer) {
  const { status, data } = JSON.parse(answer.text)
  return { status: answer.status, code: status.code, message: status.message, reason: data.error_info[0].reason }
}

/** The head of a request with the token, without its last empty line. */
function headOf(requestLine: string, ...lines: string[]): string {
  const type = 'Content-Type: application/json'
  return [`${requestLine} HTTP/1.1`, 'Host: gateway', authorization, type, ...lines, ''].join('\r\n')
}

/** What the parser refuses besides the cases of ENVELOPE-22, and the status where it is not 400. */
const broken: Record<string, [bytes: string, status?: number]> = {
  'a carriage return in a header': [headOf('GET /v1/assets', 'X-Request-Id: a\rb', '')],
  'a byte beyond ASCII in the target': [headOf('GET /v1/\xff', '')],
  'two Host headers': [headOf('GET /v1/assets', 'hOst: other', '')],
  'two Authorization headers': [`${headOf('PUT /v1/products', authorization, 'Content-Length: 2', '')}[]`],
  'a transfer coding besides chunks': [chunked('2\r\n[]\r\n0\r\n\r\n', 'gzip, chunked')],
  'a method in lower case': [headOf('get /v1/assets', '')],
  'the preface of HTTP/2': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  'a TLS handshake': ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  'a chunk that is longer than it says': [chunked('1\r\n[]\r\n0\r\n\r\n')],
  'two lengths': [`${headOf('PUT /v1/products', 'Content-Length: 2', 'Content-Length: 3', '')}[]`],
  'a negative length': [`${headOf('PUT /v1/products', 'Content-Length: -2', '')}[]`],
  'a target of more than 16 KiB': [headOf(`GET /v1/assets?${'x'.repeat(17_000)}`, ''), 431],
  'chunk extensions of more than 16 KiB': [chunked(`2;${'x'.repeat(17_000)}\r\n[]\r\n0\r\n\r\n`), 413],
}

function chunked(chunks: string, coding = 'chunked'): string {
  return headOf('PUT /v1/products', `Transfer-Encoding: ${coding}`, '') + chunks
}

describe('a request that is not HTTP', () => {
  it.each(Object.entries(broken))('with %s is answered in the envelope', async (_name, [bytes, status = 400]) => {
    const answer = await answerTo(bytes)
    const reason = status === 413 ? 'payload_too_large' : 'invalid_request'
    expect(errorOf(answer)).toEqual({ status, code: -1, message: 'ERROR', reason })
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': JSON.parse(answer.text).status.request_id,
      connection: 'close',
    })
    expect(answer.headers['x-request-id']).toMatch(uuid)
  })
})

it('a request with a hundred headers is refused: Node drops the last ones, or refuses it', async () => {
  const headers = (n: number) => Array.from({ length: n }, (_, i) => `X${i}: a`)
  const own = 3
  const refused = await answerTo(headOf('GET /v1/stores', ...headers(100 - own), 'X-Request-Id: dropped', ''))
  expect(errorOf(refused)).toMatchObject({ status: expect.toBeOneOf([400, 431]), reason: 'invalid_request' })
  expect(refused.text).toContain('fewer than 100')
  expect((await answerTo(headOf('GET /v1/stores', ...headers(99 - own), ''))).text).not.toContain('headers')
})

describe('the header Host', () => {
  it('is required of HTTP/1.1', async () => {
    const answer = await answerTo(`GET /v1/assets HTTP/1.1\r\n${authorization}\r\nX-Request-Id: mine\r\n\r\n`)
    expect(errorOf(answer)).toEqual({ status: 400, code: -1, message: 'ERROR', reason: 'invalid_request' })
    expect(JSON.parse(answer.text).status.request_id).toBe('mine')
    expect(answer.text).toContain('Host')
  })

  it('may be left out in HTTP/1.0', async () => {
    const answer = await answerTo('GET /v1/assets HTTP/1.0\r\n\r\n')
    expect(errorOf(answer)).toEqual({ status: 401, code: -1, message: 'ERROR', reason: 'unauthorized' })
    expect(answer.headers.connection).toBe('close')
  })
})

describe('Expect', () => {
  it('is answered with 417 in the envelope when it is not 100-continue', async () => {
    const head = headOf('PUT /v1/products', 'Content-Length: 2', 'X-Request-Id: mine', 'Expect: foo', '')
    const answer = await answerTo(head)
    expect(errorOf(answer)).toEqual({ status: 417, code: -1, message: 'ERROR', reason: 'invalid_request' })
    expect(JSON.parse(answer.text).status.request_id).toBe('mine')
  })

  it('100-continue is answered with 100, and then the body is read', async () => {
    using wire = await openWire(gateway.url)
    wire.send(headOf('PUT /v1/products', 'Content-Length: 2', 'Expect: 100-continue', ''))
    expect((await wire.answer())?.status).toBe(100)
    wire.send('[]')
    expect((await wire.answer())?.text).toContain('store_uuid is required')
  })

  const noToken = (head: string) => head.replace(/Authorization: .*\r\n/, '')
  const large = `Content-Length: ${300 * 1024 * 1024}`
  it.each([
    ['without a token', 401, noToken(headOf('PUT /v1/products', 'Content-Length: 2', 'Expect: 100-continue', ''))],
    [
      'without a token to GraphQL',
      401,
      noToken(headOf('POST /graphql', 'Content-Length: 2', 'Expect: 100-continue', '')),
    ],
    ['to no path', 404, headOf('PUT /v1/none', 'Content-Length: 2', 'Expect: 100-continue', '')],
    ['with a body that is too large', 413, headOf('PUT /v1/products', large, 'Expect: 100-continue', '')],
  ])('100-continue %s is answered with %d before the body is sent', async (_name, status, head) => {
    using wire = await openWire(gateway.url)
    wire.send(head)
    expect((await wire.answer())?.status).toBe(status)
  })

  it('100-continue is answered with 100 also to a file that is uploaded, once its options are checked', async () => {
    const store = await newStore(gateway)
    const upload = async (query: string) => {
      using wire = await openWire(gateway.url)
      const head = headOf(
        `POST /v1/imports?store_uuid=${store}&${query}`,
        'Content-Length: 9',
        'Expect: 100-continue',
        '',
      )
      wire.send(head.replace('application/json', 'text/csv'))
      const first = await wire.answer()
      wire.send('product_c')
      return first?.status
    }
    expect([await upload('format=csv'), await upload('format=none')]).toEqual([100, 400])
  })
})

describe('what is HTTP and rare', () => {
  it('CONNECT is a method that is not allowed', async () => {
    const answer = await answerTo('CONNECT other.example:443 HTTP/1.1\r\nHost: other.example\r\n\r\n')
    expect(errorOf(answer)).toEqual({ status: 405, code: -1, message: 'ERROR', reason: 'method_not_allowed' })
    expect(answer.headers.allow).toBe('GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS')
  })

  it('CONNECT that is reset at once ends nothing', async () => {
    for (let i = 0; i < 50; i++) {
      const wire = await openWire(gateway.url)
      wire.send('CONNECT other.example:443 HTTP/1.1\r\nHost: other.example\r\n\r\n')
      if (i % 2 === 0) await sleep(1)
      wire.reset()
    }
    await sleep(100)
    expect((await answerTo(good)).status).toBe(400)
  })

  it.each(['websocket', 'h2c', 'TLS/1.2'])('Upgrade: %s is passed over', async (protocol) => {
    const upgrade = `Connection: Upgrade\r\nUpgrade: ${protocol}\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n`
    const answer = await answerTo(good.replace(authorization, `${authorization}\r\n${upgrade.trimEnd()}`))
    expect(errorOf(answer)).toMatchObject({ status: 400, reason: 'invalid_request' })
    expect(answer.text).toContain('store_uuid is required')
  })

  it('HEAD has the headers of GET and no body', async () => {
    using wire = await openWire(gateway.url)
    wire.send(good.replace('GET', 'HEAD') + good)
    const head = await wire.answer({ bodiless: true })
    const get = await wire.answer()
    expect(head?.status).toBe(400)
    expect(get?.text).toContain('store_uuid is required')
    const variable = { date: '', 'x-request-id': '' }
    expect({ ...head?.headers, ...variable }).toEqual({ ...get?.headers, ...variable })
  })
})

describe('requests in one go', () => {
  it('are answered in their order', async () => {
    using wire = await openWire(gateway.url)
    const paths = ['/v1/assets', '/health', '/v1/nowhere', '/v1/assets']
    wire.send(paths.map((path) => good.replace('/v1/assets', path)).join(''))
    const statuses = []
    for (const _ of paths) statuses.push((await wire.answer())?.status)
    expect(statuses).toEqual([400, 200, 404, 400])
  })

  it.each([
    { name: 'a bad one', next: 'NONSENSE\r\n\r\n' },
    { name: 'one with a broken body', next: chunked('1\r\n[]\r\n0\r\n\r\n') },
  ])('a good one before $name keeps its own answer', async ({ next }) => {
    const body = JSON.stringify(storeBody())
    using wire = await openWire(gateway.url)
    wire.send(headOf('POST /v1/stores', 'X-Request-Id: first', `Content-Length: ${body.length}`, ''))
    wire.send(`${body}${next}`)
    const first = await wire.answer()
    const second = await wire.answer()
    expect(first?.status).toBe(200)
    expect(JSON.parse(first?.text ?? '').status).toMatchObject({ code: 0, request_id: 'first' })
    expect(second && errorOf(second)).toMatchObject({ status: 400, reason: 'invalid_request' })
  })
})

describe('a client that is slow, or goes away', () => {
  it('has 10 s for the headers and 15 s for the whole request', () => {
    const never = () => Promise.reject(new Error('nothing is asked here'))
    const server = createHttpServer({
      authenticate: never,
      findCaller: never,
      memory: createMemoryBudget(0),
      rest: never,
      graphql: never,
      mcp: undefined,
      graphiql: never,
      errorOf: () => new HttpError('internal_error', ''),
      maxAnswerBytes: 0,
      fileLimits: { maxBytes: 0 },
      pages: new Map(),
      onServed: () => {},
      cors: () => undefined,
      metrics: never,
    })
    expect(server).toMatchObject({ headersTimeout: 10_000, requestTimeout: 15_000, keepAliveTimeout: 65_000 })
  })

  it('gets a 408 in the envelope when its headers do not come', async () => {
    using wire = await openWire(gateway.url)
    wire.send('GET /v1/assets HTTP/1.1\r\nHost: gateway\r\nX-Slow: ')
    const started = Date.now()
    const answer = await wire.answer()
    expect(answer && errorOf(answer)).toEqual({ status: 408, code: -1, message: 'ERROR', reason: 'invalid_request' })
    expect(Date.now() - started).toBeLessThan(40_000)
  })

  it.each(['/v1/products', '/graphql'])('may go away in the middle of the body of %s', async (path) => {
    const before = logged.length
    for (const end of ['reset', 'close', 'end'] as const) {
      const wire = await openWire(gateway.url)
      wire.send(`${headOf(`POST ${path}`, 'Content-Length: 100', '')}{"qu`)
      await sleep(50)
      wire[end]()
      if (end === 'end') await wire.answer()
    }
    await sleep(100)
    expect((await answerTo(good)).status).toBe(400)
    // A busy machine may have answered it slowly.
    expect(logged.slice(before).filter(({ msg }) => msg !== 'request')).toEqual([])
  })
})

describe('a body that is too large', () => {
  const start = (path: string, framing: string) => headOf(`POST ${path}`, framing, '')
  const piece = Buffer.alloc(64 * 1024, ' ')
  const pieces = 320

  it.each(['/v1/stores', '/graphql'])('is refused on %s while it is still being sent', async (path) => {
    const lengthy = start(path, `Content-Length: ${pieces * piece.length}`)
    const chunked = start(path, 'Transfer-Encoding: chunked')
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), piece, Buffer.from('\r\n')])
    for (const [head, part] of [
      [lengthy, piece],
      [chunked, chunk],
    ] as const) {
      const answer = await sendBeforeReading(head, part, pieces)
      expect(answer).toMatch(/^HTTP\/1\.1 413 /)
      expect(answer).toContain('payload_too_large')
    }
  })

  it('of a request that is not HTTP does not keep its sender from the answer', async () => {
    const answer = await sendBeforeReading('POST /v1/stores HTTP/1.1\r\nNonsense\r\n\r\n', piece, pieces)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer.match(/request_id/g)).toHaveLength(1)
  })

  it('and turns into nonsense is answered once', async () => {
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), piece, Buffer.from('\r\n')])
    const nonsense = Buffer.concat([...Array.from({ length: 200 }, () => chunk), Buffer.from('nonsense')])
    const answer = await sendBeforeReading(start('/v1/stores', 'Transfer-Encoding: chunked'), nonsense, 1)
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
    expect(answer.match(/request_id/g)).toHaveLength(1)
  })

  /** Like many clients: reads nothing before all is sent. */
  async function sendBeforeReading(head: string, part: Buffer, count: number): Promise<string> {
    const { hostname, port } = new URL(gateway.url)
    const socket = connect({ host: hostname, port: Number(port) })
    const closed = new Promise((resolve) => socket.on('error', () => {}).once('close', resolve))
    socket.pause()
    socket.write(head)
    for (let i = 0; i < count; i++) {
      await Promise.race([new Promise((resolve) => socket.write(part, resolve)), closed])
    }
    const received: Buffer[] = []
    socket.on('data', (data) => received.push(data)).resume()
    await closed
    return Buffer.concat(received).toString()
  }
})
