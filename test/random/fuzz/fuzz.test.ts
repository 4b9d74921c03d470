import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { checkReadModel } from '../../../src/catalogue/check-read-model.ts'
import { openWire, type Wire, type WireAnswer } from '../../support/clients/wire.ts'
import { keptLog } from '../../support/log.ts'
import { useGateway } from '../../support/servers/gateway.ts'
import { isFault, problemsOf } from './answers.ts'
import { type Fixture, fill } from './fixture.ts'
import { graphqlRequests } from './graphql-requests.ts'
import { restRequests } from './rest-requests.ts'
import type { WireRequest } from './wire-request.ts'

/** FUZZ_REQUESTS=1000000 FUZZ_SEED=7 for a long run; a failure names the seed and the batch that show it again. */
const total = Number(process.env.FUZZ_REQUESTS ?? 5_000)
const seed = Number(process.env.FUZZ_SEED ?? 20_261_121)
const batch = 100
const lanes = 8
const maxKinds = 20

const { lines, log } = keptLog()
const gateway = useGateway({ log })
let fixture: Fixture
beforeAll(async () => {
  fixture = await fill(gateway)
})

it('answers every request in its words, whatever the bytes', { timeout: Math.max(600_000, total * 20) }, async () => {
  const run = createRun(gateway.url)
  const started = performance.now()
  for (let number = 0; number * batch < total && run.problems.size < maxKinds; number++) {
    const arbitrary = number % 3 === 2 ? graphqlRequests(fixture) : restRequests(fixture)
    const requests = fc.sample(arbitrary, { seed: seed + number, numRuns: batch })
    await run.send(requests, `FUZZ_SEED=${seed}, batch ${number}`)
  }
  run.end()
  const seconds = Math.round((performance.now() - started) / 1000)
  console.info(`fuzz: ${run.count} requests in ${seconds} s, seed ${seed}, statuses ${JSON.stringify(run.statuses)}`)

  expect([...run.problems.values()].join('\n\n')).toBe('')
  expect(lines.splice(0).filter(isFault)).toEqual([])
  expect(await checkReadModel(gateway.database.db)).toEqual([])
  const control = await gateway.call(`/v1/assets?store_uuid=${fixture.stores[0]}`)
  expect(control.status).toBe(200)
})

/** Sends requests over a few connections, kept while they are good; collects one problem of each kind. */
function createRun(url: string) {
  const problems = new Map<string, string>()
  const statuses: Record<string, number> = {}
  const wires: (Wire | undefined)[] = []
  let count = 0

  const sendOne = async (request: WireRequest, lane: number, where: string) => {
    const wire = wires[lane] ?? (await openWire(url))
    const sent = performance.now()
    wire.send(request.bytes)
    if (request.isCutShort) wire.end()
    const answer = await finalAnswer(wire, request)
    const ms = Math.round(performance.now() - sent)
    const keep = request.isHttp && answer?.headers.connection === 'keep-alive' && !wire.closed()
    wires[lane] = keep ? wire : undefined
    if (!keep) wire.close()
    count++
    const name = `${request.api} ${answer?.status ?? 'cut'}`
    statuses[name] = (statuses[name] ?? 0) + 1
    const found = answer ? problemsOf(request, answer) : request.isHttp ? ['there is no answer'] : []
    if (ms > 10_000) found.push(`it took ${ms} ms`)
    const kind = `${name} ${found[0]?.slice(0, 40)}`
    if (found.length > 0 && !problems.has(kind)) {
      problems.set(kind, [...found, where, shown(request.bytes), shown(answer)].join('\n'))
    }
  }
  return {
    problems,
    statuses,
    get count() {
      return count
    },
    send: async (requests: readonly WireRequest[], where: string) => {
      const queue = requests.entries()
      const work = async (lane: number) => {
        for (const [i, request] of queue) await sendOne(request, lane, `${where}, request ${i}`)
      }
      await Promise.all(Array.from({ length: lanes }, (_, lane) => work(lane)))
    },
    end: () => {
      for (const wire of wires) wire?.close()
    },
  }
}

/** Passes over `100 Continue`. */
async function finalAnswer(wire: Wire, request: WireRequest): Promise<WireAnswer | undefined> {
  const answer = await wire.answer({ bodiless: request.method === 'HEAD' })
  return answer && answer.status < 200 ? finalAnswer(wire, request) : answer
}

function shown(what: unknown): string {
  const text = JSON.stringify(what) ?? 'nothing'
  return text
    .replaceAll(/(.{1,4}?)\1{30,}/g, (run, part: string) => `${part}×${run.length / part.length}`)
    .slice(0, 2_000)
}
