import { alternate } from './alternate.ts'
import { stores } from './data.ts'
import { type Load, load, type Target } from './load.ts'
import type { Server } from './servers.ts'
import { figure, median, table } from './table.ts'

/** A request to a server, measured in the same rounds as others. */
export interface Contender {
  name: string
  server: Server
  target: Target
}

interface Measured extends Load {
  /** CPU seconds of the server's process for a thousand requests. */
  cpu: number
  /** The peak of its resident memory in MiB. */
  peak: number
}

const query = `query Page($store: ID!, $offset: Int!) { assetGroups(storeUuid: $store, offset: $offset) { totalGroups returnedGroups
  groups { parentCode channel assetType storeUuid assets { assetId urlField url } } } }`

export function pageOf(store: string, offset = 0): string {
  return `/v1/assets?store_uuid=${store}&limit=50&offset=${offset}`
}

export function rest(name: string, server: Server, store = stores.big, offset = 0): Contender {
  return { name, server, target: { url: `${server.url}${pageOf(store, offset)}` } }
}

export function graphql(name: string, server: Server): Contender {
  const body = JSON.stringify({ query, variables: { store: stores.big, offset: 0 } })
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  return { name, server, target: { url: `${server.url}/graphql`, method: 'POST', headers, body } }
}

/** The same request with the entity tag of the answer: each answer is 304. */
export async function revalidated(name: string, server: Server, token: string): Promise<Contender> {
  const { url } = rest(name, server).target
  const { headers } = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  return { name, server, target: { url, headers: { 'if-none-match': headers.get('etag') ?? '' } } }
}

const columns = { p50: 'p50 ms', p99: 'p99 ms', cpu: 'CPU s/1,000', peak: 'peak MiB' } as const
const allColumns = Object.keys(columns) as (keyof typeof columns)[]

/** Measures the contenders alternately and returns a table of medians; ratios are to the first of them. */
export async function compare(
  title: string,
  contenders: readonly Contender[],
  { connections, rounds, seconds }: { connections: number; rounds: number; seconds: number },
  shown: readonly (keyof typeof columns)[] = allColumns,
): Promise<string> {
  const measure = async ({ server, target }: Contender, round: number): Promise<Measured> => {
    await server.forgetPeak()
    const before = await server.cpuSeconds()
    const measured = await load(target, connections, round === 0 ? 1 : seconds)
    const cpu = (((await server.cpuSeconds()) - before) / measured.requests) * 1000
    return { ...measured, cpu, peak: (await server.memory()).peak }
  }
  const byName = Object.fromEntries(contenders.map((contender) => [contender.name, contender]))
  const results = await alternate(byName, rounds, measure)
  const of = (name: string, key: keyof Measured) => median((results[name] ?? []).map((measured) => measured[key]))
  const first = contenders[0]?.name ?? ''
  const rows = contenders.map(({ name }) => [
    name,
    figure(of(name, 'perSecond')),
    figure(of(name, 'perSecond') / of(first, 'perSecond')),
    ...shown.map((key) => figure(of(name, key))),
  ])
  const head = [title, 'requests/s', 'ratio', ...shown.map((key) => columns[key])]
  return table(head, rows)
}
