import { pino } from 'pino'
import { beforeAll, expect, it } from 'vitest'
import { answerTo } from '../../support/clients/wire.ts'
import { useGateway } from '../../support/servers/gateway.ts'
import { problemsOf } from './answers.ts'
import { type Fixture, fill } from './fixture.ts'
import { exhaustingGraphQLRequests } from './graphql-exhausting.ts'
import { exhaustingRestRequests } from './rest-exhausting.ts'

/** What was worth a warning, but for requests that just took long. */
const logged: { msg: string; status?: number }[] = []
const stream = {
  write: (line: string) => {
    const entry = JSON.parse(line)
    if (entry.msg !== 'request' || entry.status >= 500) logged.push(entry)
  },
}
const gateway = useGateway({ log: pino({ level: 'warn' }, stream) })
let fixture: Fixture
beforeAll(async () => {
  fixture = await fill(gateway)
})

for (const [api, requests] of Object.entries({ REST: exhaustingRestRequests, GraphQL: exhaustingGraphQLRequests })) {
  for (const { name, request } of requests) {
    it(`answers ${name} over ${api}`, async () => {
      const sent = request(fixture)
      expect(problemsOf(sent, await answerTo(gateway.url, sent.bytes))).toEqual([])
      expect(logged.splice(0)).toEqual([])
    })
  }
}
