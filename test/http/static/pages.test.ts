import { NoDeprecatedCustomRule, parse, specifiedRules, validate } from 'graphql'
import { describe, expect, it } from 'vitest'
import { endpoints } from '../../../rest/endpoints.ts'
import { schema } from '../../../schema/index.ts'
import { useGateway } from '../../support/servers/gateway.ts'

const gateway = useGateway()

const html = { accept: 'text/html,application/xhtml+xml' }

describe('the pages', () => {
  it.each([
    ['/', 'text/html'],
    ['/docs', 'text/html'],
    ['/static/bar.css', 'text/css'],
    ['/static/docs.js', 'text/javascript'],
    ['/static/scalar.js', 'text/javascript'],
    ['/static/bar.js', 'text/javascript'],
    ['/static/graphql-worker.js', 'text/javascript'],
    ['/static/start-graphiql.js', 'text/javascript'],
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

  it('GraphiQL has at most 10 tabs and the operations of REST, valid, without deprecated fields, as dry runs', async () => {
    const { json } = await gateway.call('/static/examples.json', { token: null })
    const { first, others } = json as Record<'first' | 'others', { name: string; query: string; variables?: string }[]>
    expect([first.length, others.length]).toEqual([9, endpoints.length])
    for (const { name, query, variables = '{}' } of [...first, ...others]) {
      const document = parse(query)
      expect(validate(schema, document, [...specifiedRules, NoDeprecatedCustomRule]), name).toEqual([])
      if (document.definitions.some((each) => 'operation' in each && each.operation === 'mutation'))
        expect(variables, name).toMatch(/"dryRun": true/)
    }
  })

  it("takes maps of attributes for variables: the patch finds its place in the package's worker", async () => {
    const { text } = await gateway.call('/static/graphql-worker.js', { token: null })
    expect(text).toContain('definition.title = ""')
  })

  it('other methods are refused, and HEAD has no body', async () => {
    const { status, headers } = await gateway.call('/docs', { method: 'POST', token: null, headers: html })
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
    const head = await gateway.call('/docs', { method: 'HEAD', token: null, headers: html })
    expect([head.status, head.text]).toEqual([200, ''])
  })
})
