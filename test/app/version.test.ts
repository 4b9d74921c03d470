import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runCliProcess } from '../support/clients/cli.ts'
import { useGateway } from '../support/servers/gateway.ts'
import { root } from '../support/sources.ts'

const gateway = useGateway()
const text = (path: string) => readFile(join(root, path), 'utf8')
const json = async (path: string) => JSON.parse(await text(path))

it('has one version: in the packages, the lock file, the changelog, the OpenAPI document, /health and --version', async () => {
  const { version } = await json('package.json')
  const lock = await json('package-lock.json')
  const served = await gateway.call('/v1/openapi.json')
  const versions = {
    client: (await json('rest/client/package.json')).version,
    lock: [lock.version, lock.packages['rest/client'].version],
    changelog: /^## (\S+)/m.exec(await text('CHANGELOG.md'))?.[1],
    document: (await json('docs/openapi.json')).info.version,
    served: (JSON.parse(served.text) as { info: { version: string } }).info.version,
    health: JSON.parse((await gateway.call('/health')).text),
    command: (await runCliProcess(['--version'], {})).stdout,
  }
  expect(versions).toEqual({
    client: version,
    lock: [version, version],
    changelog: version,
    document: version,
    served: version,
    health: { status: 'ok', version },
    command: `${version}\n`,
  })
})
