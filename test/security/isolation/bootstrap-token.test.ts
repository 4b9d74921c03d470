import { expect, it } from 'vitest'
import { readConfig } from '../../../src/app/config.ts'
import { startTestGateway } from '../../support/servers/gateway.ts'
import { startProgram } from '../../support/servers/program.ts'

const sentence =
  'BOOTSTRAP_TOKEN must have 16 to 4096 characters, all of them visible ASCII: no other fits into a header'
const long = `${'x'.repeat(4_090)}-~!"=+`

it.each([
  ['a line break at its end, as files have', 'a-token-from-a-file\n'],
  ['space within', 'a token with spaces in it'],
  ['nothing but space', ' '.repeat(20)],
  ['a control character', 'a-token-with-\u0007-a-bell'],
  ['a NUL escape', 'a-token-with-\u0000-in-it'],
  ['a letter beyond ASCII', 'ein-schlüssel-für-alles'],
  ['too few characters', 'x'.repeat(15)],
  ['more than a header holds', 'x'.repeat(4_097)],
])('a BOOTSTRAP_TOKEN with %s could never match and is refused', (_what, token) => {
  expect(() => readConfig({ BOOTSTRAP_TOKEN: token })).toThrow(`the environment is not usable: ${sentence}`)
})

it('a BOOTSTRAP_TOKEN that is accepted authenticates', async () => {
  for (const token of ['x'.repeat(16), long]) {
    const { bootstrapToken } = readConfig({ BOOTSTRAP_TOKEN: token })
    await using gateway = await startTestGateway({ more: { bootstrapToken } })
    expect((await gateway.call('/v1/nothing', { token })).status).toBe(404)
  }
})

it('serve ends with that message, which does not contain the token', async () => {
  const bad = startProgram(['serve'], { BOOTSTRAP_TOKEN: 'a-token-from-a-file\n', DATABASE_URL: 'postgres://nowhere' })
  await expect(bad).rejects.toThrow(sentence)
  await expect(bad).rejects.not.toThrow('a-token-from-a-file')
})
