import { execFile } from 'node:child_process'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { useFolder } from '../support/folder.ts'
import { useGateway } from '../support/servers/gateway.ts'
import { findProgram } from '../support/servers/installed.ts'
import { root, sourceOf } from '../support/sources.ts'

const folder = useFolder()
const gateway = useGateway()
const file = 'deploy/prometheus/alerts.yaml'

interface Rule {
  alert: string
  expr: string
  for: string
  labels: { severity: string }
  annotations: { summary: string; description: string }
}

it('the alerts name metrics of the gateway', async () => {
  const { groups }: { groups: { rules: Rule[] }[] } = parse(sourceOf(file))
  const rules = groups.flatMap(({ rules }) => rules)
  const { text } = await gateway.call('/metrics')
  // The gateway has no filtering service and no old changes here: their metrics have no values.
  const served = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? [name, `${name}_count`] : [name],
  )
  expect(rules.length).toBeGreaterThan(5)
  for (const { alert, expr, for: duration, labels, annotations } of rules) {
    const named = expr.match(/\b(up|(?:catalogue|nodejs|process)_\w+)\b/g) ?? []
    expect(named, alert).not.toEqual([])
    expect(['up', ...served], alert).toEqual(expect.arrayContaining(named))
    expect(duration, alert).toMatch(/^\d+m$/)
    expect(labels.severity, alert).toMatch(/^(critical|warning)$/)
    expect(
      Object.values(annotations).every((text) => text.length > 10),
      alert,
    ).toBe(true)
  }
})

it('Prometheus fires them for the series of the test, where it is installed', async () => {
  const promtool = findProgram('promtool')
  if (!promtool) return expect(findProgram('prometheus')).toBeUndefined()
  await copyFile(join(root, file), folder.file('alerts.yaml'))
  await copyFile(new URL('alerts.promtool.yaml', import.meta.url), folder.file('tests.yaml'))
  for (const args of [
    ['check', 'rules', 'alerts.yaml'],
    ['test', 'rules', 'tests.yaml'],
  ]) {
    const { stdout } = await promisify(execFile)(promtool, args, { cwd: folder.path }).catch((error) => {
      throw new Error(error.stdout + error.stderr)
    })
    expect(stdout).toContain('SUCCESS')
  }
})
