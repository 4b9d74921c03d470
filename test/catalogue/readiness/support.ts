import { setTimeout as sleep } from 'node:timers/promises'
import type { NewRequirement } from '../../../src/catalogue/readiness/requirements.ts'
import type { Caller } from '../../support/clients/caller.ts'
import { ask, documentOf } from '../../support/clients/operations.ts'

export type Given = NewRequirement

export function setRequirements(gateway: Caller, storeUuid: string, channel: string, requirements: readonly Given[]) {
  const variables = { storeUuid, channel, requirements }
  return gateway.graphql(documentOf('setChannelRequirements', variables, '{ code }'), variables)
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

export async function storeReadiness(gateway: Caller, storeUuid: string, channel: string) {
  const from = new Date(Date.now() - 3_600_000).toISOString()
  const selection = `{
    readiness(channel: "${channel}") { total ready percent asOf isCounting requirements { code severity missing }
      history(from: "${from}", interval: "1h") { time total ready percent } gaps { totalCount nodes { productCode } } } }`
  return (await ask<{ readiness: Readiness | null }>(gateway, 'store', { storeUuid }, selection)).readiness
}

/** The numbers once they are as of now. */
export async function settled(gateway: Caller, store: string, channel: string): Promise<Readiness> {
  const begun = Date.now()
  for (;;) {
    const found = await storeReadiness(gateway, store, channel)
    if (found && !found.isCounting && Date.parse(found.asOf ?? '') > begun) return found
    if (Date.now() - begun > 30_000) throw new Error(`the numbers do not come: ${JSON.stringify(found)}`)
    await sleep(20)
  }
}

interface ProductReadiness {
  channel: string
  ready: boolean
  missing: { code: string; reason: string }[]
}

export async function productReadiness(gateway: Caller, storeUuid: string) {
  const selection =
    '{ products(first: 100) { nodes { productCode readiness { channel ready missing { code reason } } } } }'
  type Found = { products: { nodes: { productCode: string; readiness: ProductReadiness[] }[] } }
  const { products } = await ask<Found>(gateway, 'store', { storeUuid }, selection)
  return Object.fromEntries(products.nodes.map(({ productCode, readiness }) => [productCode, readiness]))
}
