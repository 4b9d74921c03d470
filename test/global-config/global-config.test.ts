import { createServer, type RequestListener, type Server } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/app/config.ts'
import { type Enumerations, fallbackEnumerations } from '../../src/catalogue/enumerations.ts'
import { type GlobalConfig, startGlobalConfig } from '../../src/global-config/global-config.ts'
import { type ConfigFile, configFile } from '../support/global-config.ts'
import { keptLog } from '../support/log.ts'
import { listen } from '../support/servers/loopback.ts'

const refreshMs = 30
const good = { asset_formats: ['image', 'audio'], channels: ['web', 'SMP'], store_taxonomies: ['acme', 'brand'] }

let cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups) await cleanup()
  cleanups = []
})

describe('the global configuration', () => {
  it('is read every 60 seconds unless GLOBAL_CONFIG_REFRESH_MS says otherwise', () => {
    expect(readConfig({}).globalConfigRefreshMs).toBe(60_000)
    expect(readConfig({ GLOBAL_CONFIG_REFRESH_MS: '500' }).globalConfigRefreshMs).toBe(500)
    expect(() => readConfig({ GLOBAL_CONFIG_REFRESH_MS: 'soon' })).toThrow(/GLOBAL_CONFIG_REFRESH_MS/)
  })

  it('is at an https:, http: or file: URL, and at no other', () => {
    for (const url of ['https://x/c', 'http://x/c', 'file:///c']) {
      expect(readConfig({ GLOBAL_CONFIG: url }).globalConfig).toBe(url)
    }
    expect(readConfig({}).globalConfig).toBeUndefined()
    for (const url of ['ftp://x/c', 'config.json', '/etc/c']) {
      expect(() => readConfig({ GLOBAL_CONFIG: url })).toThrow(/GLOBAL_CONFIG/)
    }
  })

  it('is the fallback where no URL is given', async () => {
    const { config } = await start(undefined)
    expect(config.enumerations()).toEqual(fallbackEnumerations)
  })

  it('is what an HTTP server says, read before it starts', async () => {
    const url = await serve((_request, response) => response.end(JSON.stringify(good)))
    const { config } = await start(url)
    expect(config.enumerations().assetFormats).toEqual(['image', 'audio'])
  })

  it.for<[object, Partial<Enumerations>]>([
    [good, { assetFormats: ['image', 'audio'], channels: ['SMP', 'web'], storeTaxonomies: ['acme', 'brand'] }],
    [{}, {}],
    [{ unknown: 1, regions: ['Atlantis'] }, {}],
    [{ asset_formats: ['audio'] }, { assetFormats: ['audio'] }],
    [{ store_taxonomies: ['acme'] }, { storeTaxonomies: ['acme'] }],
    ...[['web'], ['SMP', 'web', 'SMP', 'web']].map((channels): [object, Partial<Enumerations>] => [
      { channels },
      { channels: ['SMP', 'web'] },
    ]),
  ])(
    'is what the file says, read before the start: each key is optional, SMP is always a channel: %j',
    async ([content, changed]) => {
      const { config } = await start((await fileWith(content)).url)
      expect(config.enumerations()).toEqual({ ...fallbackEnumerations, ...changed })
    },
  )

  it('is the fallback, and says so in the log, while there is nothing to read', async () => {
    const { config, lines } = await start('file:///nowhere/at/all.json')
    expect(config.enumerations()).toEqual(fallbackEnumerations)
    expect(lines).toMatchObject([{ level: 40, msg: expect.stringMatching(/global configuration/) }])
  })

  it.for([
    ['no JSON', '{ malformed'],
    ['nothing', ''],
    ['null', 'null'],
    ['a list', '[]'],
    ['a number', '1'],
    ['a text for a list', { channels: 'web' }],
    ['a list of no texts', { asset_formats: ['image', 1] }],
    ['an empty text', { asset_formats: [''] }],
    ['a text that could not be stored', { channels: ['a\0'] }],
    ['a lone surrogate', '{"channels":["\\ud800"]}'],
    ['one bad key among good ones', { ...good, store_taxonomies: {} }],
    ['no formats at all', { asset_formats: [] }],
  ])('is the fallback where the file has %s', async ([, content]) => {
    const { config, lines } = await start((await fileWith(content)).url)
    expect(config.enumerations()).toEqual(fallbackEnumerations)
    expect(lines).toHaveLength(1)
  })

  it.for<[string, RequestListener]>([
    ['an error', (_request, response) => response.writeHead(500).end(JSON.stringify(good))],
    ['that it is elsewhere', (_request, response) => response.writeHead(302, { location: '/elsewhere' }).end()],
    ['that there is nothing', (_request, response) => response.writeHead(204).end()],
    ['HTML', (_request, response) => response.end('<html>welcome</html>')],
    [
      'half an answer',
      (request, response) =>
        response.writeHead(200, { 'content-length': 100 }).write('{}', () => request.socket.destroy()),
    ],
    ['nothing for five seconds', () => {}],
    ['nothing and hangs up', (request) => request.socket.destroy()],
    ['more than it may', (_request, response) => response.end(`{"channels":["web"]${' '.repeat(2 ** 20)}}`)],
  ])('is the fallback where the server says %s', async ([, listener]) => {
    const { config, lines } = await start(await serve(listener))
    expect(config.enumerations()).toEqual(fallbackEnumerations)
    expect(lines).toHaveLength(1)
  })

  it('keeps the last good one while the source is malformed or missing, and follows it again afterwards', async () => {
    const file = await fileWith(good)
    const { config, lines } = await start(file.url)
    const lastGood = config.enumerations()
    await file.write('{ malformed')
    await expect.poll(() => lines.length).toBeGreaterThan(1)
    expect(config.enumerations()).toEqual(lastGood)
    await file.remove()
    const before = lines.length
    await expect.poll(() => lines.length).toBeGreaterThan(before + 1)
    expect(config.enumerations()).toEqual(lastGood)
    const again = await fileWith({ asset_formats: ['audio'] })
    expect((await start(again.url)).config.enumerations().assetFormats).toEqual(['audio'])
  })

  it('stays the last good one while the server fails, and follows as soon as it recovers', async () => {
    let answer: [status: number, content: object] = [200, good]
    const url = await serve((_request, response) => response.writeHead(answer[0]).end(JSON.stringify(answer[1])))
    const { config, lines } = await start(url)
    answer = [503, {}]
    await expect.poll(() => lines.length).toBeGreaterThan(1)
    expect(config.enumerations().assetFormats).toEqual(['image', 'audio'])
    answer = [200, { asset_formats: ['video'] }]
    await expect.poll(() => config.enumerations().assetFormats).toEqual(['video'])
  })

  it('is read no more once it is stopped, be it in the midst of a reading', async () => {
    const begun: (() => void)[] = []
    const url = await serve((_request, response) => {
      const answer = () => void response.end('{}')
      begun.push(answer)
      if (begun.length === 1) answer()
    })
    const { config } = await start(url)
    await expect.poll(() => begun.length).toBeGreaterThan(1)
    config.stop()
    const reads = begun.length
    for (const answer of begun.slice(1)) answer()
    await new Promise((resolve) => setTimeout(resolve, 10 * refreshMs))
    expect(begun.length).toBe(reads)
  })

  it('is read with the credentials of its URL', async () => {
    let authorization: string | undefined
    const url = await serve((request, response) => {
      authorization = request.headers.authorization
      response.end(JSON.stringify(good))
    })
    const { config } = await start(url.replace('http://', 'http://user:p%40ss%C3%A9@'))
    expect(config.enumerations().assetFormats).toEqual(['image', 'audio'])
    expect(authorization).toBe(`Basic ${Buffer.from('user:p@ssé').toString('base64')}`)
  })
})

/** Starts reading the URL; `lines` are the log's, as they come. */
async function start(url: string | undefined): Promise<{ config: GlobalConfig; lines: object[] }> {
  const { lines, log } = keptLog('info')
  const config = await startGlobalConfig({ globalConfig: url, globalConfigRefreshMs: refreshMs }, log)
  cleanups.push(() => config.stop())
  return { config, lines }
}

async function fileWith(content: unknown): Promise<ConfigFile> {
  const file = await configFile(content)
  cleanups.push(() => file.remove())
  return file
}

async function serve(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener)
  cleanups.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${await listen(server)}/config.json`
}
