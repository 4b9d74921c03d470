import { beforeAll, expect, it } from 'vitest'
import { answerTo } from '../../support/clients/wire.ts'
import { keptLog } from '../../support/log.ts'
import { useGateway } from '../../support/servers/gateway.ts'
import { isFault, problemsOf } from './answers.ts'
import { type Fixture, fill } from './fixture.ts'
import { exhaustingGraphQLRequests } from './graphql-exhausting.ts'
import { exhaustingRestRequests } from './rest-exhausting.ts'

const { lines, log } = keptLog()
const gateway = useGateway({ log })
let fixture: Fixture
beforeAll(async () => {
  fixture = await fill(gateway)
})

for (const [api, requests] of Object.entries({ REST: exhaustingRestRequests, GraphQL: exhaustingGraphQLRequests })) {
  for (const { name, request } of requests) {
    it(`answers ${name} over ${api}`, async () => {
      const sent = request(fixture)
      expect(problemsOf(sent, await answerTo(gateway.url, sent.bytes))).toEqual([])
      expect(lines.splice(0).filter(isFault)).toEqual([])
    })
  }
}
