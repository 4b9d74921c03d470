import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { refusal, runCli } from '../support/clients/cli.ts'
import { addProducts, newStore } from '../support/factories.ts'
import { useFolder } from '../support/folder.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()
const folder = useFolder('all')
const catalog = (...args: string[]) => runCli(args, { DATABASE_URL: gateway.database.url })

describe('catalog store', () => {
  it('creates a store, finds it by a part of its name, and shows it by its name', async () => {
    const created = await catalog('store', 'create', '--name', 'Northern Lights', '--region', 'Europe', '--json')
    const store = JSON.parse(created.stdout)
    expect(store).toMatchObject({ store_name: 'Northern Lights', store_taxonomy: 'catalog', channels: ['SMP'] })
    expect(Object.keys(store).toSorted().join()).toBe(
      'channels,created_at,default_automation,region,store_group,store_name,store_taxonomy,store_uuid,store_website',
    )
    expect((await catalog('store', 'list', '--search', 'NORTHERN')).stdout).toMatch(
      new RegExp(`^UUID +CREATED +NAME\n${store.store_uuid}  \\d{4}-\\d\\d-\\d\\d  Northern Lights\n$`),
    )
    expect(JSON.parse((await catalog('store', 'show', 'Northern Lights', '--json')).stdout)).toEqual(store)
    expect((await catalog('store', 'show', store.store_uuid)).stdout).toContain('store_name          Northern Lights\n')
    const linked = await catalog('store', 'create', '--name', 'Outlet', '--linked-store', 'Northern Lights', '--json')
    expect(JSON.parse(linked.stdout)).toMatchObject({ store_group: store.store_group })
  })

  it('shows control characters of names, which a terminal would obey, as escapes', async () => {
    const code = 'A\u001b]0;title\u0007\nB'
    const store = await newStore(gateway, { store_name: 'Bold \u001b[1m' })
    await addProducts(gateway, store, [code])
    const all = await catalog('store', 'list', '--search', 'Bold')
    expect(all.stdout).toMatch(/^UUID +CREATED +NAME\n.*Bold \\u001b\[1m\n$/)
    expect((await catalog('product', 'show', code, '--store', store)).stdout).toContain(
      'A\\u001b]0;title\\u0007\\u000aB\n',
    )
    expect((await catalog('changes', '--store', store)).stdout).not.toMatch(/[^\P{Cc}\n]/u)
  })

  it('refuses what is none of the values, and a name that no store or several have', async () => {
    const bad = await catalog('store', 'create', '--name', 'X', '--region', 'Mars')
    expect(bad).toMatchObject(refusal('region[0] must be one of'))
    expect(await catalog('store', 'show', 'nowhere')).toMatchObject(
      refusal('there is no store "nowhere"; "catalog store list" shows the stores'),
    )
    for (const _ of [1, 2]) await newStore(gateway, { store_name: 'Twins' })
    expect(await catalog('export', '--store', 'Twins')).toMatchObject(
      refusal('several stores have the name "Twins": give the UUID of one'),
    )
  })
})

describe('--store', () => {
  let store: string
  beforeAll(async () => {
    store = await newStore(gateway, { store_name: 'By name' })
    await addProducts(gateway, store, ['A'])
  })

  it('takes a name in every command', async () => {
    const file = folder.file('products.csv')
    expect((await catalog('export', '--store', 'By name', '--out', file)).stderr).toMatch(/exported 1 product\n/)
    expect(await catalog('import', file, '--store', 'By name')).toMatchObject({ code: 0 })
    expect((await catalog('changes', '--store', 'By name')).code).toBe(0)
    const made = await catalog('token', 'create', '--name', 'limited', '--store', 'By name', '--json')
    expect(JSON.parse(made.stdout)).toMatchObject({ stores: [store] })
    const fields = 'created_at,expires_at,id,last_used_at,name,revoked_at,scopes,stale_while,stores'
    const { tokens } = JSON.parse((await catalog('token', 'list', '--json')).stdout)
    expect(Object.keys(tokens[0]).toSorted().join()).toBe(fields)
    expect(Object.keys(JSON.parse(made.stdout)).toSorted().join()).toBe(`${fields},token`)
    const listed = (await catalog('token', 'list', '--wide')).stdout.split('\n')
    expect(listed[0]).toMatch(/^ID +STATE +SCOPES +STORES +EXPIRES +LAST USED +NAME$/)
    expect(listed.find((line) => line.endsWith('limited'))).toMatch(`${store}  never`)
  })

  it.each(['export', 'changes', 'job list', 'webhook list', 'product show A', 'request show R', 'config pull'])(
    'refuses the UUID of no store in %s',
    async (command) => {
      const unknown = randomUUID()
      expect(await catalog(...command.split(' '), '--store', unknown)).toMatchObject(
        refusal(`there is no store "${unknown}"; "catalog store list" shows the stores`),
      )
    },
  )

  it('lists the jobs of a store, and shows one', async () => {
    const [, first = ''] = (await catalog('job', 'list', '--store', 'By name', '--wide')).stdout.split('\n')
    expect(first).toMatch(/^\S+ +import +succeeded +\S+ +1 +0$/)
    const [id = ''] = first.split(' ')
    expect(JSON.parse((await catalog('job', 'show', id, '--json')).stdout)).toMatchObject({
      job_id: id,
      store_uuid: store,
      state: 'succeeded',
      rows: 1,
    })
    expect(await catalog('job', 'show', store)).toMatchObject(refusal('no job'))
  })
})
