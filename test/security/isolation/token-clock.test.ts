import { afterAll, beforeAll, expect, it } from 'vitest'
import { useGateway } from '../../support/servers/gateway.ts'
import type { Program } from '../../support/servers/program.ts'
import { serve } from '../../support/servers/serve.ts'
import { newToken } from '../../support/tokens.ts'

const gateway = useGateway()
/** Gateways on the same database, on machines whose clocks are an hour late and an hour early. */
let programs: Program[]
beforeAll(async () => {
  const start = (hours: number) => {
    const shift = `const now = Date.now; Date = class extends Date {
      constructor(...given) { given.length === 0 ? super(Date.now()) : super(...given) }
      static now() { return now() + ${hours} * 3_600_000 } }`
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(shift)}`
    return serve(gateway.database, [], { NODE_OPTIONS })
  }
  programs = await Promise.all([start(-1), start(1)])
})
afterAll(async () => {
  for (const program of programs) await program.end()
})

const statuses = (token: string) =>
  Promise.all([gateway, ...programs].map(async (each) => (await each.call('/v1/nothing', { token })).status))

it('the clocks of the gateways differ', async () => {
  await Promise.all(programs.map((program) => program.call('/v1/nothing', { token: null })))
  const times = () => programs.map(({ stderr }) => Number(/"time":(\d+)/.exec(stderr())?.[1]))
  await expect.poll(() => times().reduce((late, early) => early - late)).toBeGreaterThan(7_000_000)
})

it('a token expires by the clock of the database, whichever gateway has it in its cache', async () => {
  const { secret } = await newToken(gateway, { scopes: ['READ'], expires: '10s' })
  expect(await statuses(secret)).toEqual([404, 404, 404])
  await expect.poll(() => statuses(secret)).toEqual([401, 401, 401])
})

it('a token lives as long as it was made for, whichever gateway made it', async () => {
  for (const program of programs) {
    const { secret } = await newToken(program, { scopes: ['READ'], expires: '20m' })
    expect(await statuses(secret)).toEqual([404, 404, 404])
  }
})
