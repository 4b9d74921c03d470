import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { readable } from '../../src/app/log.ts'
import { refusal, runCli } from '../support/clients/cli.ts'
import { addProducts, newStore } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'
import { catalog, searchPath } from '../support/servers/program.ts'

const gateway = useGateway()

describe('the command line', () => {
  it('ends silently when the reader of an export closes the pipe', async () => {
    const store = await newStore(gateway)
    const attributes = { text: 'x'.repeat(2_000) }
    const codes = Array.from({ length: 2_000 }, (_, i) => ({ productCode: `P${i}`, attributes }))
    await addProducts(gateway, store, codes)
    const command = `${catalog} export --store ${store} | head -n 1`
    const env = { PATH: searchPath, DATABASE_URL: gateway.database.url }
    const { stdout, stderr } = await promisify(execFile)('sh', ['-c', command], { env })
    expect(stdout).toMatch(/^product_code,status/)
    expect(stderr).toBe('')
  })

  it('prints the settings in force, without secrets', async () => {
    const env = {
      DATABASE_URL: 'postgresql://gateway:p%40ss@db/catalogue?sslpassword=hidden',
      BOOTSTRAP_TOKEN: 'a-secret-admin-token',
      GLOBAL_CONFIG: 'https://a:b@config.example/x?key=hidden',
      PORT: '8080',
    }
    const { stdout, code } = await runCli(['config'], env)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^DATABASE_URL +postgresql:\/\/\*\*\*@db\/catalogue\?sslpassword=\*\*\*$/m)
    expect(stdout).toMatch(/^PORT +8080$/m)
    expect(stdout).toMatch(/^BOOTSTRAP_TOKEN +\*\*\*$/m)
    expect(stdout).toMatch(/^HOST +127\.0\.0\.1 +default$/m)
    expect(stdout).toMatch(/^CHANGES_RETENTION +30d +default$/m)
    expect(stdout).toMatch(/^max_connections +\d+ +what this gateway needs$/m)
    const json = (await runCli(['config', '--json'], env)).stdout
    expect(JSON.parse(json)).toMatchObject({ PORT: '8080', GLOBAL_CONFIG: 'https://***@config.example/x?key=***' })
    expect(stdout + json).not.toMatch(/hidden|secret|p%40ss/)
    expect(await runCli(['config'], { PORT: 'x' })).toMatchObject(refusal('PORT', 1))
  })

  it('says what it checks in the words of the guides', async () => {
    await newStore(gateway)
    const env = { PATH: searchPath, DATABASE_URL: gateway.database.url }
    const { stdout } = await promisify(execFile)('script', ['-qec', `${catalog} check`, '/dev/null'], { env })
    for (const what of ['asset groups', 'filterable attributes', 'searchable attributes', 'readiness'])
      expect(stdout).toContain(`0 of ${/of (\d+) stores/.exec(stdout)?.[1]} stores: ${what} of the next`)
  })

  it('logs lines to read on a terminal', async () => {
    const line = '{"level":30,"time":1700000000123,"requestId":"a\\u001b","status":200,"msg":"request\\n"}'
    expect(readable(line)).toBe('22:13:20.123 INFO  request\\n requestId="a\\u001b" status=200\n')
    const env = { PATH: searchPath, DATABASE_URL: gateway.database.url, GLOBAL_CONFIG: 'file:///none' }
    const command = ['-qec', `${catalog} store create --name X`, '/dev/null']
    const shown = await promisify(execFile)('script', command, { env })
    expect(shown.stdout).toMatch(/^\d\d:\d\d:\d\d\.\d{3} WARN {2}/m)
  })
})
