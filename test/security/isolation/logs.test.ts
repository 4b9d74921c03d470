import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Call } from '../../support/clients/http.ts'
import { useDatabase } from '../../support/database/database.ts'
import type { Program } from '../../support/servers/program.ts'
import { serve } from '../../support/servers/serve.ts'

const database = useDatabase()
let program: Program
beforeAll(async () => {
  program = await serve(database)
})
afterAll(async () => {
  await program.end()
})

interface Line {
  msg: string
  requestId?: string
  tokenName?: string
  requests?: number
}

const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))

const logged = () => linesOf(program.stderr())

it('requests without a valid token are logged a few times a second, and counted beyond that', async () => {
  const begunAt = Date.now()
  const flood = (id: string, as: Call = {}) =>
    Promise.all(
      Array.from({ length: 300 }, (_, i) =>
        program.call('/v1/nothing', { ...as, headers: { 'x-request-id': `${id}-${i}` } }),
      ),
    )
  expect(new Set((await flood('anonymous', { token: null })).map(({ status }) => status))).toEqual(new Set([401]))
  expect(new Set((await flood('unknown', { token: 'one-that-nobody-has' })).map(({ status }) => status))).toEqual(
    new Set([401]),
  )
  await flood('known')
  const seconds = (Date.now() - begunAt) / 1_000
  const of = (id: string) => logged().filter(({ requestId = '' }) => requestId.startsWith(`${id}-`)).length
  const inFull = () => of('anonymous') + of('unknown')
  const counted = () =>
    logged().reduce((sum, { msg, requests = 0 }) => sum + (msg.includes('not logged') ? requests : 0), 0)
  await expect.poll(() => inFull() + counted()).toBe(600)
  expect(inFull()).toBeGreaterThanOrEqual(10)
  expect(inFull()).toBeLessThanOrEqual(10 * Math.ceil(seconds + 1))
  await expect.poll(() => of('known')).toBe(300)
})

it('a line has at most 64 characters of a request id, the answer all of it', async () => {
  const id = `long-${'x'.repeat(250)}`
  const reply = await program.call('/v1/nothing', { headers: { 'x-request-id': id } })
  expect(reply.headers['x-request-id']).toBe(id)
  expect(reply.json).toMatchObject({ status: { request_id: id } })
  await expect
    .poll(() => logged().filter(({ requestId = '' }) => requestId.startsWith('long-')))
    .toMatchObject([{ requestId: id.slice(0, 64), tokenName: 'bootstrap' }])
})

it('a line has control characters and those of text direction as escapes', async () => {
  const controls = '\u0085\u009b31m\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069'
  const id = `odd-${controls}-𝒳ü`
  const sent = Buffer.from(id).toString('latin1')
  const reply = await program.call('/v1/nothing', { headers: { 'x-request-id': sent } })
  expect(reply.json).toMatchObject({ status: { request_id: id } })
  await expect.poll(() => logged().map(({ requestId }) => requestId)).toContain(id)
  const line =
    program
      .stderr()
      .split('\n')
      .find((text) => text.includes('"odd-')) ?? ''
  expect(line).toContain('\\u202e')
  expect(line).toContain('𝒳ü')
  expect(line).not.toMatch(/[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/)
})
