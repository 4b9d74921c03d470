import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { TestGateway } from '../../support/servers/gateway.ts'
import type { State } from './state.ts'

/** A time between two writes, and what was stored then. */
export interface Moment {
  at: string
  state: State
}

/** The time of now: writes before it and after it have other milliseconds. */
export async function momentOf(state: State): Promise<Moment> {
  await sleep(2)
  const at = new Date().toISOString()
  await sleep(2)
  return { at, state }
}

/** `Store.product(productCode, at)` must return every product of a store as it was at each moment, or null. */
export async function expectProductsAt(gateway: TestGateway, moments: readonly Moment[]): Promise<number> {
  const codes = new Map<string, Set<string>>()
  for (const { state } of moments)
    for (const [store, { product }] of state)
      codes.set(store, new Set([...(codes.get(store) ?? []), ...product.keys()]))
  let compared = 0
  for (const [store, ofStore] of codes) {
    if (ofStore.size === 0) continue
    for (const { at, state } of moments) {
      const products = state.get(store)?.product ?? new Map()
      const wanted = [...ofStore].map((code) => {
        const { status, attributes } = products.get(code) ?? {}
        return products.has(code) ? { status: status.replace(' ', '_').toUpperCase(), attributes } : null
      })
      expect({ store, at, products: await productsAt(gateway, store, [...ofStore], at) }).toEqual({
        store,
        at,
        products: wanted,
      })
      compared += wanted.length
    }
  }
  return compared
}

async function productsAt(gateway: TestGateway, store: string, codes: readonly string[], at: string) {
  const fields = codes.map(
    (code, i) =>
      `p${i}: product(productCode: ${JSON.stringify(code)}, at: $at) { status attributes createdAt updatedAt }`,
  )
  const query = `query ($store: ID!, $at: DateTime!) { store(storeUuid: $store) { storeUuid ${fields.join(' ')} } }`
  const { data, errors } = await gateway.graphql(query, { store, at })
  expect(errors).toBeUndefined()
  const found = (data as unknown as { store: Record<string, ProductAt | null> }).store
  return codes.map((_, i) => {
    const product = found[`p${i}`]
    if (!product) return null
    const { createdAt, updatedAt, ...rest } = product
    expect(createdAt <= updatedAt && updatedAt <= at, `${createdAt} ${updatedAt} ${at}`).toBe(true)
    return rest
  })
}

interface ProductAt {
  status: string
  attributes: Record<string, string>
  createdAt: string
  updatedAt: string
}
