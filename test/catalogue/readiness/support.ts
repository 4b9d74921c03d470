import { setTimeout as sleep } from 'node:timers/promises'
import type { NewRequirement } from '../../../src/catalogue/readiness/requirements.ts'
import { query } from '../../support/factories.ts'
import type { TestGateway } from '../../support/servers/gateway.ts'

export type Given = NewRequirement

export function setRequirements(gateway: TestGateway, store: string, channel: string, requirements: readonly Given[]) {
  return gateway.graphql(
    `mutation ($store: ID!, $channel: String!, $requirements: [ChannelRequirementInput!]!) {
      setChannelRequirements(storeUuid: $store, channel: $channel, requirements: $requirements) { code } }`,
    { store, channel, requirements },
  )
}

export interface Readiness {
  total: number | null
  ready: number | null
  percent: number | null
  asOf: string | null
  isCounting: boolean
  requirements: { code: string; severity: string; missing: number | null }[]
  history: { time: string; total: number; ready: number; percent: number | null }[]
  gaps: { totalCount: number; nodes: { productCode: string }[] }
}

export async function storeReadiness(gateway: TestGateway, store: string, channel: string) {
  const from = new Date(Date.now() - 3_600_000)
  const document = `query ($store: ID!, $channel: String!, $from: DateTime!) { result: store(storeUuid: $store) {
    readiness(channel: $channel) { total ready percent asOf isCounting requirements { code severity missing }
      history(from: $from, interval: "1h") { time total ready percent } gaps { totalCount nodes { productCode } } } } }`
  const { result } = await query<{ readiness: Readiness | null }>(gateway, document, { store, channel, from })
  return result.readiness
}

/** The numbers once they are as of now. */
export async function settled(gateway: TestGateway, store: string, channel: string): Promise<Readiness> {
  const begun = Date.now()
  for (;;) {
    const found = await storeReadiness(gateway, store, channel)
    if (found && !found.isCounting && Date.parse(found.asOf ?? '') >= begun) return found
    if (Date.now() - begun > 30_000) throw new Error(`the numbers do not come: ${JSON.stringify(found)}`)
    await sleep(20)
  }
}

interface ProductReadiness {
  channel: string
  ready: boolean
  missing: { code: string; reason: string }[]
}

export async function productReadiness(gateway: TestGateway, store: string) {
  const document = `query ($store: ID!) { result: store(storeUuid: $store) {
    products(first: 100) { nodes { productCode readiness { channel ready missing { code reason } } } } } }`
  const { result } = await query<{ products: { nodes: { productCode: string; readiness: ProductReadiness[] }[] } }>(
    gateway,
    document,
    { store },
  )
  return Object.fromEntries(result.products.nodes.map(({ productCode, readiness }) => [productCode, readiness]))
}
