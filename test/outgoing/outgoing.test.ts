import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer, type LookupFunction } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/app/config.ts'
import { readAllowed } from '../../src/outgoing/addresses.ts'
import { createOutgoing } from '../../src/outgoing/outgoing.ts'
import { targetFault } from '../../src/outgoing/target.ts'
import { Random } from '../support/random.ts'
import { listen } from '../support/servers/loopback.ts'

const closing: (() => unknown)[] = []
afterAll(() => Promise.all(closing.map((close) => close())))

/** A port of the loopback, and how many connections it has had. */
async function listenOnLoopback() {
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.destroy()
  })
  closing.push(() => server.close())
  return { port: await listen(server), connections: () => connections }
}

async function serve(answer: RequestListener): Promise<string> {
  const server = createHttpServer(answer)
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
  )
  return `http://127.0.0.1:${await listen(server)}`
}

/** Answers each name with the addresses that are its next turn; the last turn repeats. */
function fakeLookup(turnsOf: (host: string) => string[][]): LookupFunction {
  const asked = new Map<string, number>()
  return (host, _options, callback) => {
    const turns = turnsOf(host)
    const turn = asked.get(host) ?? 0
    asked.set(host, turn + 1)
    const addresses = turns[Math.min(turn, turns.length - 1)] ?? []
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }
}

const post = (outgoing: ReturnType<typeof createOutgoing>, url: string) =>
  outgoing.post({ url, headers: {}, body: '{}' })
const hex = (byte: number) => byte.toString(16).padStart(2, '0')

/** The ways to write an IPv4 address in a URL, and to embed it in IPv6. */
function formsOf(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  const number = ((a * 256 + b) * 256 + c) * 256 + d
  const [high, low] = [hex(a) + hex(b), hex(c) + hex(d)]
  return [
    ...[address, `${address}.`, String(number), `0x${number.toString(16)}`, `0${number.toString(8)}`],
    ...[`0x${hex(a)}.${b}.${c}.${d}`, `0${a.toString(8)}.${b}.${c}.${d}`, `${a}.${(b * 256 + c) * 256 + d}`],
    ...[`[::ffff:${address}]`, `[::ffff:${high}:${low}]`, `[::${address}]`, `[64:ff9b::${address}]`],
    ...[`[64:ff9b:1::${address}]`, `[2002:${high}:${low}::1]`, `[2001:0:${high}:${low}::1]`],
    ...[`${[a, b, c, d].map((byte) => `%${hex(String(byte).charCodeAt(0))}${String(byte).slice(1)}`).join('.')}`],
  ]
}

describe('outgoing requests', () => {
  it('open no connection to a private address in 1,000 hostile URLs', async () => {
    const seeded = new Random(Number(process.env.PROPERTY_SEED ?? 1))
    const random = (n: number) => seeded.below(n)
    const { port, connections } = await listenOnLoopback()
    const byte = () => random(256)
    const privateAddress = () => {
      const ranges = [
        ...['127.0.0.1', '0.0.0.0', '169.254.169.254', `10.${byte()}.${byte()}.${byte()}`],
        ...[`127.${byte()}.${byte()}.${byte()}`, `192.168.${byte()}.${byte()}`, `172.${16 + random(16)}.0.${byte()}`],
        ...[`100.${64 + random(64)}.${byte()}.1`, `198.18.${byte()}.1`, `${224 + random(32)}.${byte()}.1.1`],
      ]
      return ranges[random(ranges.length)] ?? '127.0.0.1'
    }
    const names = new Map<string, string[][]>()
    const named = (...turns: string[][]) => {
      const name = `name-${names.size}.example`
      names.set(name, turns)
      return name
    }
    const private6 = [
      '::1',
      '::',
      'fe80::1',
      'fc00::1',
      'fd12::1',
      'ff02::1',
      '2001:db8::1',
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
    ]
    const hosts = Array.from({ length: 60 }, privateAddress).flatMap((address) => [
      ...formsOf(address),
      named([address]),
      named(['93.184.215.14', address]),
    ])
    const urls = [
      ...hosts.map((host) => `https://${host}:${port}/hook`),
      ...private6.flatMap((address) => [`https://[${address}]:${port}`, `https://${named([address])}:${port}`]),
      ...[`http://127.0.0.1:${port}`, `http://hook.example:${port}`, 'https://93.184.215.14:22', 'ftp://hook.example'],
      ...[`https://user:secret@127.0.0.1:${port}`, 'https://user@hook.example', 'https://hook.example:80', 'file:///x'],
      ...[`//127.0.0.1:${port}`, 'localhost', 'https://', `https:\\\\127.0.0.1:${port}`, 'javascript:alert(1)'],
    ]
    expect(urls.length).toBeGreaterThan(1_000)
    const outgoing = createOutgoing({ lookup: fakeLookup((host) => names.get(host) ?? [['127.0.0.1']]) })
    closing.push(outgoing.close)
    const answers = await Promise.allSettled(urls.map((url) => post(outgoing, url)))
    const refusals = answers.map((answer) => (answer.status === 'rejected' ? String(answer.reason) : 'answered'))
    const others = urls.filter(
      (_, i) => !/: the (URL must|host has an address that is private)/.test(refusals[i] ?? ''),
    )
    expect(others).toEqual([])
    expect(connections()).toBe(0)
  })

  it('are checked at each connection, when a name gets another address', async () => {
    const { port, connections } = await listenOnLoopback()
    const lookup = fakeLookup(() => [['127.0.0.2'], ['127.0.0.1']])
    const outgoing = createOutgoing({ allow: ['127.0.0.2'], lookup })
    closing.push(outgoing.close)
    const send = () => post(outgoing, `https://rebound.example:${port}`)
    await expect(send()).rejects.toThrow('the connection failed')
    await expect(send()).rejects.toThrow('private or reserved')
    expect(connections()).toBe(0)
  })

  it('go to what OUTGOING_ALLOW covers: ranges and hosts, also without TLS', async () => {
    const url = await serve((_request, response) => response.end('received'))
    const { outgoingAllow } = readConfig({ OUTGOING_ALLOW: '127.0.0.0/8, crm.lan' })
    const lookup = fakeLookup(() => [['127.0.0.1']])
    const outgoing = createOutgoing({ allow: outgoingAllow, lookup })
    closing.push(outgoing.close)
    expect(await post(outgoing, url)).toMatchObject({ status: 200, body: 'received' })
    expect(await post(outgoing, url.replace('127.0.0.1', 'crm.lan'))).toMatchObject({ status: 200 })
    await expect(post(outgoing, url.replace('127.0.0.1', 'other.lan'))).rejects.toThrow('must begin with https://')
    await expect(post(outgoing, 'http://10.0.0.1')).rejects.toThrow('must begin with https://')
    expect(targetFault('https://localhost/hook', readAllowed(outgoingAllow))).toBeUndefined()
    for (const bad of ['10.0.0.0/33', '10.0.0', 'http://crm.lan', '::/129', 'a b'])
      expect(() => readConfig({ OUTGOING_ALLOW: bad }), bad).toThrow('OUTGOING_ALLOW')
  })

  it('go to no URL that the parser would change: with control characters, blanks around it, or other slashes', () => {
    const controls = ['https://hook.exa\r\nmple', 'https://hook.example/\t', '\nhttps://hook.example']
    const others = [' https://hook.example', 'https://hook.example/ ', 'https:\\\\hook.example', 'https:hook.example']
    for (const url of [...controls, ...others])
      expect(targetFault(url, readAllowed([])), JSON.stringify(url)).toEqual({
        details: 'must be a URL with https:// and a host',
      })
  })

  it('say what is wrong with an answer that is not HTTP', async () => {
    const server = createServer((socket) =>
      socket.on('error', () => {}).once('data', () => socket.end('no HTTP\r\n\r\n')),
    )
    closing.push(() => server.close())
    const outgoing = createOutgoing({ allow: ['127.0.0.1'] })
    closing.push(outgoing.close)
    const port = await listen(server)
    await expect(post(outgoing, `http://127.0.0.1:${port}`)).rejects.toThrow('the connection failed: HTTPParserError')
  })

  it('follow no redirect', async () => {
    const { port, connections } = await listenOnLoopback()
    const url = await serve((_request, response) => {
      response.writeHead(302, { Location: `http://127.0.0.1:${port}` }).end()
    })
    const outgoing = createOutgoing({ allow: ['127.0.0.1'] })
    closing.push(outgoing.close)
    expect(await post(outgoing, url)).toMatchObject({ status: 302 })
    expect(connections()).toBe(0)
  })

  it('read 64 KB of an endless answer, and wait for a silent one until the deadline', async () => {
    const endless = await serve((_request, response) => {
      const write = () => response.write('x'.repeat(16_384), (error) => error ?? setImmediate(write))
      write()
    })
    const silent = await serve(() => {})
    const dripping = await serve((_request, response) => {
      const timer = setInterval(() => response.write('.'), 20)
      response.on('close', () => clearInterval(timer))
    })
    const outgoing = createOutgoing({ allow: ['127.0.0.1'], deadlineMs: 1_000 })
    closing.push(outgoing.close)
    expect((await post(outgoing, endless)).body).toHaveLength(64 * 1024)
    await expect(post(outgoing, silent)).rejects.toThrow('no answer within 1 s')
    await expect(post(outgoing, dripping)).rejects.toThrow('no answer within 1 s')
  })
})
