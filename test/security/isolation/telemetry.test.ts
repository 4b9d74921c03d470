import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { outcomeOf } from '../../support/clients/cli.ts'
import { listen } from '../../support/servers/loopback.ts'
import { searchPath } from '../../support/servers/program.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

it('the install script of a dependency reports nothing, where npm runs it', async () => {
  const reports: string[] = []
  const server = createServer((request, response) => {
    reports.push(request.url ?? '')
    response.end()
  })
  const SCARF_LOCAL_PORT = String(await listen(server))
  const env = { PATH: searchPath, INIT_CWD: root, SCARF_LOCAL_PORT }
  const script = spawn(process.execPath, ['node_modules/@scarf/scarf/report.js'], { cwd: root, env })
  await outcomeOf(script)
  server.close()
  expect(reports).toEqual([])
})

it.each(['package.json', 'tools/package.json'])('%s turns its telemetry off', (file) => {
  expect(JSON.parse(readFileSync(`${root}/${file}`, 'utf8')).scarfSettings).toEqual({ enabled: false })
})
