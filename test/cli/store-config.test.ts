import { writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readConfigFile } from '../../src/cli/config/config-file.ts'
import { runCli } from '../support/clients/cli.ts'
import { define, newStore, query } from '../support/factories.ts'
import { useFolder } from '../support/folder.ts'
import { useGateway } from '../support/servers/gateway.ts'
import { newToken } from '../support/tokens.ts'

const gateway = useGateway()
const folder = useFolder('each')
const config = (...args: string[]) => runCli(['config', ...args], { DATABASE_URL: gateway.database.url })

const file = async (text: string) => {
  const path = folder.file('store.yaml')
  await writeFile(path, text)
  return path
}
const pull = async (store: string) => (await config('pull', '--store', store)).stdout

const whole = `
attributes:
  - name: Color
    type: enum
    allowedValues: [red, blue]
  - { name: Size, type: number, maxLength: 5 }
requirements:
  SMP:
    - { code: title, kind: attribute, attribute: Title, minimum: 10 }
    - { code: image, kind: asset, severity: recommended }
tokens:
  - { name: dashboard, scopes: [read] }
`

describe('the configuration of a store', () => {
  it('is made as the file says, once, and pulled as it is', async () => {
    const store = await newStore(gateway)
    await define(gateway, store, [{ name: 'Old', type: 'TEXT' }])
    const old = await newToken(gateway, { scopes: ['READ', 'WRITE'], stores: [store], name: 'old' })
    // It would come back without its end: the file leaves it alone.
    await newToken(gateway, { scopes: ['READ'], stores: [store], name: 'for a day', expires: '1d' })
    const path = await file(whole)
    const diff = await config('diff', path, '--store', store)
    expect(diff.code).toBe(1)
    expect(diff.stdout.trimEnd().split('\n')).toEqual([
      '- attribute Old: {"name":"Old","type":"text"}',
      '+ attribute Color: {"name":"Color","type":"enum","allowedValues":["red","blue"]}',
      '+ attribute Size: {"name":"Size","type":"number","maxLength":5}',
      '+ requirement SMP title: {"code":"title","kind":"attribute","attribute":"Title","minimum":10}',
      '+ requirement SMP image: {"code":"image","kind":"asset","assetFormat":"image","minimum":1,"severity":"recommended"}',
      '- token old: ["read","write"]',
      '+ token dashboard: ["read"]',
    ])
    expect(parse(await pull(store))).toMatchObject({ attributes: [{ name: 'Old' }], requirements: {} })

    const pushed = await config('push', path, '--store', store, '--json')
    expect(pushed.code).toBe(0)
    const { differences, tokens } = JSON.parse(pushed.stdout)
    expect([differences.length, tokens]).toMatchObject([7, [{ name: 'dashboard' }]])
    const listing = (token: string) => gateway.call(`/v1/products?store_uuid=${store}`, { token })
    expect((await listing(tokens[0].token)).status).toBe(200)
    await expect.poll(async () => (await listing(old.secret)).status).toBe(401)
    const recorded = `query ($store: ID!) { result: changeRows(storeUuids: [$store], limit: 2) { operation via kind } }`
    const { result } = await query<object[]>(gateway, recorded, { store })
    expect(result).toContainEqual({ operation: 'config', via: 'CLI', kind: 'DEFINITION' })

    const pulled = await pull(store)
    expect(pulled).toContain('allowedValues:')
    for (const again of [path, await file(pulled)]) {
      expect(await config('diff', again, '--store', store)).toMatchObject({ code: 0, stdout: 'no differences\n' })
      expect(await config('push', again, '--store', store)).toMatchObject({ code: 0, stdout: '' })
    }
    expect(await pull(store)).toBe(pulled)
  })

  it('keeps a section that the file lacks, and says when only the order differs', async () => {
    const store = await newStore(gateway)
    expect((await config('push', await file(whole), '--store', store)).code).toBe(0)
    const turned = `requirements: { SMP: [{ code: image, kind: asset, severity: recommended }, { code: title, kind: attribute, attribute: Title, minimum: 10 }] }`
    const diff = await config('diff', await file(turned), '--store', store, '--json')
    const order = { before: ['title', 'image'], after: ['image', 'title'] }
    expect(JSON.parse(diff.stdout)).toEqual({
      differences: [{ action: 'change', kind: 'requirement', name: 'SMP', ...order }],
    })
    expect((await config('push', await file('requirements: {}'), '--store', store)).code).toBe(0)
    expect(parse(await pull(store))).toMatchObject({ attributes: [{}, {}], requirements: {}, tokens: [{}] })
  })

  it.each([
    ['attributes: [', /store\.yaml:2:1: Flow sequence/],
    [
      'attributes:\n  - name: Color\n    type: colour',
      /store\.yaml:3:11: attributes\[0\]\.type must be one of text, .*; got "colour"/,
    ],
    ['attributes:\n  - name: 7\n    type: text', /store\.yaml:2:11: attributes\[0\]\.name must be a text; got 7/],
    ['attributes:\n  - type: text', /store\.yaml:2:5: attributes\[0\]\.name must be a text; got nothing/],
    [
      'attributes:\n  - { name: Color, type: text }\n  - { name: Color, type: text }',
      /store\.yaml:3:13: attributes\[1\]\.name must come once in the list; got "Color"/,
    ],
    ['receivers: []', /store\.yaml:1:12: receivers is not known/],
    [
      'requirements: { SMP: [{ code: a, kind: asset, weight: 3 }] }',
      /store\.yaml:1:\d+: requirements\.SMP\[0\]\.weight is not known/,
    ],
    ['[]', /store\.yaml:1:1: the file must be a map; got a list/],
    [
      'a: &a [x, x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]',
      /store\.yaml:1:1: .*alias/,
    ],
  ])('is refused with the place of its fault: %j', (text, expected) => {
    expect(() => readConfigFile(`${text}\n`, 'store.yaml')).toThrow(expected)
  })

  it.each([
    [
      'attributes:\n  - { name: A, type: text }\n  - { name: B, type: enum }',
      /attributes\[1\]\.allowedValues must name at least one value/,
    ],
    ['requirements: { nowhere: [{ code: a, kind: asset }] }', /channel must be one of SMP/],
    ['tokens: [{ name: t, scopes: [admin] }]', /scopes must not have admin/],
  ])('is not changed by a file with a bad value: %j', async (text, expected) => {
    const store = await newStore(gateway)
    const path = await file(`attributes: [{ name: New, type: text }]\n${text}\n`.replace(/^.*\n(?=attributes)/, ''))
    const faulty = { code: 2, stdout: '', stderr: expect.stringMatching(expected) }
    expect(await config('push', path, '--store', store)).toMatchObject(faulty)
    expect(parse(await pull(store))).toEqual({ attributes: [], requirements: {}, tokens: [], webhooks: [] })
  })

  it('needs a file and a store that exist', async () => {
    const store = await newStore(gateway)
    for (const path of ['/none.yaml', folder.path]) {
      const { code, stdout, stderr } = await config('diff', path, '--store', store)
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toContain(`error: ${path} cannot be read: `)
      expect(stderr).toContain('expected a YAML file, as `catalog config pull` writes it')
    }
    const unknown = '019aa000-0000-7000-8000-000000000001'
    expect(await config('pull', '--store', unknown)).toMatchObject({ code: 2, stdout: '' })
    expect(await config('push', await file('{}'), '--store', unknown)).toMatchObject({ code: 2 })
    expect(JSON.parse((await config('--json')).stdout)).toHaveProperty('DATABASE_URL')
  })
})
