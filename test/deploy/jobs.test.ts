import { execFile } from 'node:child_process'
import { readdir, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { createTestDatabase, useDatabase } from '../support/database/database.ts'
import { useFolder } from '../support/folder.ts'
import { findProgram } from '../support/servers/installed.ts'
import { catalog, searchPath } from '../support/servers/program.ts'
import { root, sourceOf } from '../support/sources.ts'

const folder = useFolder()
const database = useDatabase()
const run = promisify(execFile)

interface Container {
  command?: string[]
  args?: string[]
}

/** The container of a Job or CronJob. */
function containerOf(path: string): Container {
  const documents = parseAllDocuments(sourceOf(path)).map((document) => document.toJS())
  const { spec } = documents.at(-1)
  return (spec.jobTemplate?.spec ?? spec).template.spec.containers[0]
}

it('the Job of Kubernetes migrates, and logs each step', async () => {
  await using empty = await createTestDatabase({ empty: true })
  const { args = [] } = containerOf('deploy/kubernetes/migrate.yaml')
  const env = { PATH: searchPath, DATABASE_URL: empty.url }
  const { stderr } = await run(catalog, args, { env })
  expect(stderr).toMatch(/^running 0001-catalogue\n(.*\n)*running table-access\n$/m)
})

it('the CronJob backs up into a file for each day of the week', async () => {
  const backups = await folder.newFolder('of Kubernetes')
  const { command: [shell = '', ...args] = [] } = containerOf('deploy/kubernetes/backup.yaml')
  const options = { cwd: root, env: { PATH: searchPath, DATABASE_URL: database.url } }
  const moved = args.map((text) => text.replace('/backups/', `${backups}/`))
  for (let day = 0; day < 2; day++) await run(shell, moved, options)
  expect(await readdir(backups)).toEqual([expect.stringMatching(/^[1-7]\.sql\.gz$/)])
})

it('the timer of systemd starts a service that backs up into a file for each day of the week', async () => {
  const backups = await folder.newFolder('of-systemd')
  const [service, timer] = ['catalogue-backup.service', 'catalogue-backup.timer'].map((name) =>
    sourceOf(`deploy/systemd/${name}`)
      .replaceAll(/\/\w+\/catalogue-gateway(?=\/)/g, root.replace(/\/$/, ''))
      .replaceAll('/var/lib/catalogue-backups', backups),
  )
  expect(timer).toMatch(/^OnCalendar=\*-\*-\* \d\d:\d\d:\d\d$/m)
  const [, command = ''] = /^ExecStart=\/bin\/sh -c '(.*)'$/m.exec(service ?? '') ?? []
  const env = { PATH: searchPath, DATABASE_URL: database.url }
  await run('sh', ['-c', command.replaceAll('%%', '%')], { env, cwd: '/' })
  expect(await readdir(backups)).toEqual([expect.stringMatching(/^[1-7]\.sql\.gz$/)])
  const analyze = findProgram('systemd-analyze')
  if (!analyze) return
  const units = await folder.newFolder('units')
  await writeFile(`${units}/catalogue-backup.service`, service ?? '')
  await writeFile(`${units}/catalogue-backup.timer`, timer ?? '')
  const { stdout, stderr } = await run(analyze, ['verify', `${units}/catalogue-backup.timer`])
  expect(stdout + stderr).not.toContain('catalogue-backup')
})
