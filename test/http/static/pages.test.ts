import { describe, expect, it } from 'vitest'
import { useGateway } from '../../support/servers/gateway.ts'

const gateway = useGateway()

const html = { accept: 'text/html,application/xhtml+xml' }

describe('the pages', () => {
  it.each([
    ['/', 'text/html'],
    ['/docs', 'text/html'],
    ['/static/docs.css', 'text/css'],
    ['/static/docs.js', 'text/javascript'],
    ['/static/scalar.js', 'text/javascript'],
    ['/static/token.js', 'text/javascript'],
    ['/static/welcome.js', 'text/javascript'],
    ['/graphql', 'text/html'],
  ])('%s needs no token, and may run nothing but what the gateway serves', async (path, type) => {
    const { status, headers, text } = await gateway.call(path, { token: null, headers: html })
    expect([status, headers['content-type']]).toEqual([200, `${type}; charset=utf-8`])
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(/script-src ([^;]*)/.exec(policy)?.[1]).not.toMatch(/unsafe|https?:|\*/)
    const markup = text.replaceAll(/<script>[\s\S]*?<\/script>/g, '')
    const loaded = [...markup.matchAll(/<(?:script|link|img)\b[^>]*\b(?:src|href)="([^"]+)"/g)].map((match) => match[1])
    if (type === 'text/html') expect(loaded.filter((url) => !/^(\/|data:)/.test(url ?? ''))).toEqual([])
  })

  it('the welcome page is for browsers alone: to others / is no path', async () => {
    const { status, text } = await gateway.call('/', { token: null })
    expect([status, text]).toEqual([404, expect.stringContaining('send Accept: text/html')])
  })

  it('GraphiQL has the operations of REST, each with its endpoint and example variables', async () => {
    const { text } = await gateway.call('/graphql', { token: null, headers: html })
    const listed = /<script type="application\/json" id="operations">(.*?)<\/script>/.exec(text)?.[1] ?? '[]'
    const operations = JSON.parse(listed) as { name: string; query: string; variables?: string }[]
    expect(operations.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Stores', 'ListAssets', 'UpdateProducts', 'CreateStore', 'DeleteAssets', 'UnlinkAssets']),
    )
    const listing = operations.find(({ name }) => name === 'ListAssets')
    expect(listing?.query).toContain('# The operation of GET /v1/assets.')
    expect(JSON.parse(listing?.variables ?? '{}')).toMatchObject({ channel: 'SMP', limit: 2 })
  })

  it('other methods are refused, and HEAD has no body', async () => {
    const { status, headers } = await gateway.call('/docs', { method: 'POST', token: null, headers: html })
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
    const head = await gateway.call('/docs', { method: 'HEAD', token: null, headers: html })
    expect([head.status, head.text]).toEqual([200, ''])
  })
})
