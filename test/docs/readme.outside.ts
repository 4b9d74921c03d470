import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestGateway, type TestGateway, token } from '../support/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.stop())

it('every command of the README that has an answer gives that answer', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
  const pairs = [...readme.matchAll(/```sh\n([^`]*?)```\n```json\n([^`]*?)```/g)]
  expect(pairs.length).toBeGreaterThanOrEqual(7)
  let store = ''
  for (const [, command = '', answer = ''] of pairs) {
    const env = { PATH: process.env.PATH, BASE: gateway.url, TOKEN: token, STORE: store }
    const { stdout } = await promisify(execFile)('bash', ['-c', command], { env })
    expect(withoutUuids(stdout), command).toBe(withoutUuids(answer.trim()))
    store = /"store_uuid":"([^"]+)"/.exec(stdout)?.[1] ?? store
  }
})

/** What differs from run to run. */
function withoutUuids(text: string): string {
  return text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
}
