import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { isLong } from '../../faults/support/scale.ts'
import { type Call, codeOf, sendKept } from '../../support/clients/http.ts'

/** What the other tenant saw: the milliseconds of its answers, and those that were not 200. */
export interface Seen {
  list: number[]
  put: number[]
  health: number[]
  export: number[]
  refused: string[]
}

export interface Neighbour {
  url: string
  token: string
  store: string
  codes: string[]
}

const patienceMs = 60_000
/**
 * Requests that wait for an answer, at most: a gateway that is silent for a minute must not get thousands. On a busy
 * machine the neighbour must not be what the neighbour waits for: after 2 s it would be refused.
 */
const maxWaiting = isLong ? 100 : 10

const startExport = 'mutation ($store: ID!) { job: startExport(storeUuid: $store, format: JSONL) { jobId } }'
const readJob = 'query ($id: ID!) { job(id: $id) { state } }'
const deleteJob = 'mutation ($id: ID!) { job: deleteJob(jobId: $id) { state } }'

/** Sends what an ordinary tenant sends, lists and health at a fixed rate, until the returned function is called. */
export function watch({ url, token, store, codes }: Neighbour): () => Promise<Seen> {
  const seen: Seen = { list: [], put: [], health: [], export: [], refused: [] }
  const agent = new Agent({ keepAlive: true })
  let isOver = false
  const call = (path: string, sent: Call = {}) =>
    sendKept(url + path, { token, agent, signal: AbortSignal.timeout(patienceMs), ...sent })
  const timed = async (name: Exclude<keyof Seen, 'refused'>, work: () => Promise<{ status: number; text: string }>) => {
    const begun = performance.now()
    const refused = await work().then(
      ({ status, text }) => status !== 200 && `${status} ${text.slice(0, 300)}`,
      (error: unknown) => codeOf(error),
    )
    seen[name].push(performance.now() - begun)
    if (refused) seen.refused.push(`${name}: ${refused}`)
  }
  const waiting = new Set<Promise<void>>()
  const atRate = (everyMs: number, work: () => Promise<void>) =>
    setInterval(() => {
      if (waiting.size >= maxWaiting) return
      const done: Promise<void> = work().finally(() => waiting.delete(done))
      waiting.add(done)
    }, everyMs)
  const repeated = async (pauseMs: number, work: () => Promise<void>) => {
    while (!isOver) {
      await work()
      await sleep(pauseMs)
    }
  }
  const list = () =>
    timed('list', () =>
      call(`/v1/assets?store_uuid=${store}&offset=${Math.floor(Math.random() * codes.length)}&limit=50`),
    )
  let value = 0
  const put = () => {
    value++
    const body = codes.map((product_code) => ({ product_code, Color: `color ${value}`, Material: 'wool' }))
    return timed('put', () => call(`/v1/products?store_uuid=${store}`, { method: 'PUT', body }))
  }
  const graphql = (query: string, variables: object) => call('/graphql', { method: 'POST', body: { query, variables } })
  const exportOnce = async () => {
    let id = ''
    await timed('export', async () => {
      const started = await graphql(startExport, { store })
      id = (started.json as { data?: { job?: { jobId: string } } }).data?.job?.jobId ?? ''
      for (let state = 'QUEUED'; id && /QUEUED|RUNNING/.test(state); await sleep(50)) {
        state = /"state":"(\w+)"/.exec((await graphql(readJob, { id })).text)?.[1] ?? ''
      }
      return { ...started, status: id ? started.status : 0 }
    })
    await graphql(deleteJob, { id }).catch(() => {})
  }
  const timers = [atRate(20, list), atRate(50, () => timed('health', () => call('/health')))]
  const loops = [repeated(500, put), repeated(2_000, exportOnce)]
  return async () => {
    isOver = true
    timers.forEach(clearInterval)
    await Promise.all([...waiting, ...loops])
    agent.destroy()
    return seen
  }
}
