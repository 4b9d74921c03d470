import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { codeOf, type Reply, send } from '../../support/clients/http.ts'

export interface Request {
  /** What to print of it. */
  what?: string
  method?: string
  path: string
  body?: unknown
  headers?: Record<string, string>
  token?: string
  /** A mutation of several fields: each is committed for itself. */
  hasSeveral?: boolean
  /** The client closes the connection after so long. */
  leaveAfterMs?: number
}

export function put(store: string, body: unknown, more: Partial<Request> = {}): Request {
  return { method: 'PUT', path: `/v1/products?store_uuid=${store}`, body, ...more }
}

export function graphql(query: string, variables: object = {}, more: Partial<Request> = {}): Request {
  return { method: 'POST', path: '/graphql', body: { query, variables }, ...more }
}

export const times = <T>(n: number, item: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => item(i))

/** The versions of all rows of a store: whatever is committed changes them. Jobs change by themselves. */
export const tablesOfStore = [
  'store',
  'attribute_definition',
  'product',
  'asset',
  'asset_link',
  'asset_group',
  'asset_group_total',
  'product_total',
]
const ofTable = (name: string, version: string) =>
  `(select count(*) || ':' || coalesce(sum(hashtextextended(${version}, 0)), 0) from ${name} where store_uuid = $1)`
const stateOfStore = `select concat_ws(' ', ${[
  ...tablesOfStore.map((name) => ofTable(name, "ctid || ':' || xmin")),
  ofTable('job', 'job_id::text'),
].join(
  ', ',
)}) as state, (select count(*)::int from job where store_uuid = $1 and state in ('queued', 'running')) as busy`

/** The tenant that attacks, and what it was answered. */
export class Attacker {
  readonly url: string
  readonly token: string
  /** Another one of the same store. */
  readonly otherToken: string
  /** With the scope write only. */
  readonly writeToken: string
  readonly store: string
  /** How often each status was answered. */
  readonly answers = new Map<string, number>()
  /** What must never be: a 5xx, a broken connection, a commit that was answered with an error, another's data. */
  readonly faults: string[] = []
  readonly #database: Client
  readonly #secret: string

  constructor(
    given: Pick<Attacker, 'url' | 'token' | 'otherToken' | 'writeToken' | 'store'>,
    database: Client,
    secret: string,
  ) {
    this.url = given.url
    this.token = given.token
    this.otherToken = given.otherToken
    this.writeToken = given.writeToken
    this.store = given.store
    this.#database = database
    this.#secret = secret
  }

  /** Sends the requests at once. When all are answered with errors, the store must be as it was. */
  async send(...requests: Request[]): Promise<(Reply | undefined)[]> {
    const before = await this.#state()
    const replies = await Promise.all(requests.map((request) => this.#sendOne(request, requests.length === 1)))
    const isWhole = before.busy === 0 && !requests.some(({ hasSeveral }) => hasSeveral)
    if (isWhole && replies.every((reply) => reply && isError(reply))) {
      // A statement of a request that took too long may still run.
      if (replies.some((reply) => reply && reply.status >= 500)) await sleep(2_000)
      if ((await this.#state()).state !== before.state)
        this.#fault('committed, but answered with an error', requests[0])
    }
    return replies
  }

  /** Sends the mutation, whose one field is `job`, and waits for the job's end; reads its output. */
  async job(start: Request): Promise<void> {
    const [reply] = await this.send(start)
    await this.endOfJobs(reply ? [reply] : [])
  }

  async endOfJobs(replies: readonly (Reply | undefined)[], patienceMs = 90_000): Promise<void> {
    const until = Date.now() + patienceMs
    for (const id of replies.flatMap((reply) => /"jobId":"([^"]+)"/.exec(reply?.text ?? '')?.[1] ?? [])) {
      const read = `{ job(id: "${id}") { state error output outputParts } }`
      for (let state = 'QUEUED'; /QUEUED|RUNNING/.test(state) && Date.now() < until; await sleep(200)) {
        const [now] = await this.send(graphql(read))
        state = /"state":"(\w+)"/.exec(now?.text ?? '')?.[1] ?? ''
        if (now?.text.includes('internal error')) this.#fault('a job failed unexpectedly', { path: id })
      }
      await this.send(graphql(`mutation { deleteJob(jobId: "${id}") { state } }`))
    }
  }

  async #sendOne(request: Request, isAlone: boolean): Promise<Reply | undefined> {
    const { path, leaveAfterMs, token = this.token, ...call } = request
    const signal = AbortSignal.timeout(leaveAfterMs ?? 120_000)
    try {
      const reply = await send(this.url + path, { token, signal, ...call })
      const { status, headers, text } = reply
      this.#count(String(status))
      // Many at once may find the service busy; one request alone may not. A listing then has 502 (spec: HTTP mapping).
      const isListing = (call.method ?? 'GET') === 'GET' && path.startsWith('/v1/assets?')
      const isBusy =
        (status === 503 && headers['retry-after'] !== undefined) ||
        (status === 502 && isListing && text.includes('retry later'))
      if (status >= 500 && (isAlone || !isBusy)) this.#fault(`${status} ${text.slice(0, 200)}`, request)
      if (text.includes(this.#secret)) this.#fault("has another tenant's data", request)
      return reply
    } catch (error) {
      this.#count(leaveAfterMs === undefined ? codeOf(error) : 'left')
      // A request that is refused before it is read may break the connection under the rest of its body.
      if (leaveAfterMs === undefined && !/EPIPE|ECONNRESET/.test(codeOf(error))) this.#fault(codeOf(error), request)
      return undefined
    }
  }

  #count(answer: string): void {
    this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1)
  }

  #fault(what: string, { what: name, method = 'GET', path }: Request = { path: '' }): void {
    this.faults.push(`${name ?? `${method} ${path.slice(0, 100)}`}: ${what}`)
  }

  async #state(): Promise<{ state: string; busy: number }> {
    const { rows } = await this.#database.query<{ state: string; busy: number }>(stateOfStore, [this.store])
    return rows[0] ?? { state: '', busy: 0 }
  }
}

function isError({ status, text }: Reply): boolean {
  return status >= 400 || (text.includes('"errors":[') && /"data":null|^\{"errors"/.test(text))
}
